import json
from pathlib import Path

import pytest

from tools.build import browser, check, node, project, webui
from tools.build.project import BuildError


@pytest.mark.parametrize(
    ("version", "enough"),
    [("v24.1.0", True), ("v22.0.0", True), ("v20.20.2", False), (None, False)],
)
def test_node_is_taken_from_the_system_only_where_it_is_new_enough(
    version: str | None, enough: bool
) -> None:
    assert node.is_new_enough(version) is enough


def installed(tmp_path: Path, found: dict[str, dict[str, str]]) -> bool:
    lock = {
        "": {"name": "app"},
        "node_modules/a": {"version": "1", "integrity": "x"},
        "node_modules/only-windows": {"version": "1", "integrity": "y", "optional": True},
    }
    (tmp_path / "lock.json").write_text(json.dumps({"packages": lock}))
    (tmp_path / ".package-lock.json").write_text(json.dumps({"packages": found}))
    return webui.is_installed(tmp_path / "lock.json", tmp_path)


def test_packages_are_installed_again_exactly_when_the_lock_asks_for_others(
    tmp_path: Path,
) -> None:
    right = {"version": "1", "integrity": "x"}

    assert installed(tmp_path, {"node_modules/a": right})
    assert not installed(tmp_path, {})
    assert not installed(tmp_path, {"node_modules/a": right | {"integrity": "z"}})
    assert not installed(tmp_path, {"node_modules/a": right, "node_modules/b": right})


def test_every_pin_is_exact() -> None:
    lines = [*project.requirements("dev"), *project.requirements("node")]

    assert len(lines) > 8
    assert [line for line in lines if line.count("==") != 1] == []


def test_the_constraints_agree_with_the_pins() -> None:
    for line in (*project.requirements("dev"), *project.runtime_requirements()):
        name, _, _ = line.partition("==")
        assert project.constrained(name).lower() == line.lower()


def test_a_package_without_an_exact_version_is_refused() -> None:
    with pytest.raises(BuildError, match="left-pad"):
        project.constrained("left-pad")


def test_each_step_has_an_exit_code_of_its_own() -> None:
    codes = [step.code for step in check.STEPS.values()]

    assert len(set(codes)) == len(codes)
    assert not {0, 1, 2} & set(codes)


def test_the_first_failing_step_decides_the_exit_code_and_the_others_still_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    ran: list[str] = []

    def step(name: str, code: int) -> check.Step:
        def run() -> int:
            ran.append(name)
            return code

        return check.Step(name, 40 + len(name), run)

    monkeypatch.setattr(check, "REPORTS", tmp_path / "reports")
    monkeypatch.setattr(
        check, "STEPS", {"a": step("a", 0), "bb": step("bb", 7), "ccc": step("ccc", 1)}
    )

    assert check.check() == 42
    assert ran == ["a", "bb", "ccc"]
    assert "bb: FAILED (7)" in capsys.readouterr().out


def test_the_closing_line_adds_up_what_the_test_runs_said(tmp_path: Path) -> None:
    (tmp_path / "unit.xml").write_text(
        '<testsuites><testsuite tests="5" failures="1" errors="1" skipped="1" time="1.5"/>'
        "</testsuites>"
    )
    tally = check.Tally()
    tally.add(tmp_path / "unit.xml")
    tally.add(tmp_path / "unit.xml")

    assert " 4 failed, 4 passed, 2 skipped in 3.00s " in tally.line()


def test_a_test_run_that_left_no_report_counts_as_a_failure(tmp_path: Path) -> None:
    tally = check.Tally()
    tally.add(tmp_path / "never-written.xml")

    assert "1 failed" in tally.line()


def test_a_browser_is_found_by_its_usual_names(tmp_path: Path) -> None:
    assert browser.find_browser(str(tmp_path)) is None
    program = tmp_path / "google-chrome"
    program.touch(mode=0o755)

    assert browser.find_browser(str(tmp_path)) == program
