"""Reading a review: files, lines, scopes, links, and what stands in for what is missing."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from diffx.review.model import Comparison, FilePatch, GitPath, Noise
from tests.support.browser import wait_until
from tests.support.reviewsite import Made, ReviewSite, made, withheld

pytestmark = pytest.mark.system

BEFORE = "".join(f"line {number}\n" for number in range(1, 121))
AFTER = BEFORE.replace("line 60\n", "line sixty\nand a half\n")


def open_review(page: Page, site: ReviewSite, files: list[Made], query: str = "") -> None:
    context = site.publish(files)
    page.goto(f"{site.url}/contexts/{context}{query}")


def row(page: Page, text: str) -> Locator:
    return page.locator(".row", has_text=text)


def tree_files(page: Page) -> Locator:
    return page.get_by_role("treeitem", name=re.compile(r"\.py"))


def many_files(count: int) -> list[Made]:
    return [made(f"src/file_{n:03}.py", "a = 1\n" * 30, "a = 2\n" * 30) for n in range(count)]


def test_changed_lines_are_shown_with_their_numbers_signs_and_words(
    page: Page, site: ReviewSite
) -> None:
    open_review(page, site, [made("notes.txt", BEFORE, AFTER)])

    added = page.locator(".row.add").first
    expect(added).to_contain_text("line sixty")
    expect(added.locator(".num.new")).to_have_text("60")
    expect(added.locator(".word")).to_have_text("sixty")
    expect(page.locator(".row.del .num.old")).to_have_text("60")
    expect(page).to_have_title("feature/web · shop · diffx")


def test_code_gets_its_colours_from_the_worker(page: Page, site: ReviewSite) -> None:
    open_review(page, site, [made("a.py", "x = 1\n", "def f():\n    return 'text'\n")])

    expect(page.locator(".text .t17, .text .t18, .text .t19").first).to_be_visible()


def test_a_hunk_inside_a_long_string_is_coloured_as_the_whole_file_says(
    page: Page, site: ReviewSite
) -> None:
    before = '"""\n' + "for word in prose\n" * 30 + '"""\n'
    after = before.replace("for word in prose\n" * 30, "for word in prose\n" * 29 + "return it\n")
    open_review(page, site, [made("a.py", before, after)])

    line = row(page, "return it").locator(".text")
    expect(line.locator("span").first).to_have_class(re.compile(r"t(5|44|53)\b"))


def test_split_and_unified_show_the_same_lines_and_the_choice_is_remembered(
    page: Page, site: ReviewSite
) -> None:
    open_review(page, site, [made("notes.txt", BEFORE, AFTER)])
    expect(row(page, "line sixty")).to_be_visible()

    page.keyboard.press("m")
    expect(page.locator(".row.pair", has_text="line sixty")).to_contain_text("line 60")
    page.reload()
    expect(page.locator(".row.pair", has_text="line sixty")).to_be_visible()
    page.keyboard.press("m")
    expect(page.locator(".row.pair")).to_have_count(0)


def test_hidden_lines_open_in_steps_and_in_full(page: Page, site: ReviewSite) -> None:
    open_review(page, site, [made("notes.txt", BEFORE, AFTER)])
    expect(page.get_by_role("button", name="Show all 56 hidden lines")).to_be_visible()

    page.get_by_role("button", name="Show 20 more lines above").click()
    expect(page.get_by_role("button", name="Show all 36 hidden lines")).to_be_visible()
    expect(row(page, "line 37").first).to_be_visible()
    page.get_by_role("button", name="Show all 36 hidden lines").click()
    expect(page.locator(".row.bar")).to_have_count(0)
    page.get_by_role("button", name="Show the rest of the file").click()
    page.locator(".diff").evaluate("element => element.scrollTo(0, 100000)")
    expect(row(page, "line 120")).to_be_visible()


def test_opening_lines_below_does_not_move_what_is_read(page: Page, site: ReviewSite) -> None:
    far = "".join(f"row {n}\n" for n in range(1, 400))
    near = far.replace("row 100\n", "ROW 100\n").replace("row 300\n", "ROW 300\n")
    open_review(page, site, [made("a.txt", far, near)])
    line = page.locator(".row.add", has_text="ROW 100")
    expect(line).to_be_visible()
    before = top_of_added(page)
    page.locator(".bar").get_by_role("button", name="Show 20 more lines below").click()
    expect(row(page, "row 123").first).to_be_visible()

    assert top_of_added(page) == before


def top_of_added(page: Page) -> float:
    """Find and measure in one step: a row may be painted anew at any time."""
    return float(page.evaluate("document.querySelector('.row.add').getBoundingClientRect().top"))


def test_filtering_hides_alike_in_tree_and_diff_and_says_how_many(
    page: Page, site: ReviewSite
) -> None:
    files = [*many_files(3), made("docs/guide.md", "a\n", "b\n")]
    open_review(page, site, sorted(files, key=lambda one: one.file.path))
    expect(page.locator(".row").first).to_be_visible()
    page.keyboard.press("t")
    page.keyboard.type("guide")

    expect(page.get_by_role("treeitem", name=re.compile("file_"))).to_have_count(0)
    expect(page.locator(".file")).to_have_count(1)
    expect(page.get_by_text("1 of 4")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".file")).not_to_have_count(1)
    page.keyboard.press("t")
    page.keyboard.type("nothing like it")
    expect(page.get_by_text("No file matches the filter")).to_be_visible()


def test_the_tree_joins_lone_folders_and_leads_to_files(page: Page, site: ReviewSite) -> None:
    files = [*many_files(20), made("web/app/deep/only.ts", "a\n", "b\n")]
    open_review(page, site, files)
    folder = page.get_by_role("treeitem", name="web/app/deep")
    expect(folder).to_have_attribute("aria-expanded", "true")

    page.get_by_role("treeitem", name=re.compile("only.ts")).click()
    expect(page.get_by_role("heading", name="web/app/deep/only.ts")).to_be_in_viewport()
    folder.click()
    expect(folder).to_have_attribute("aria-expanded", "false")
    expect(page.get_by_role("treeitem", name=re.compile("only.ts"))).to_have_count(0)


def test_scopes_switch_by_key_and_an_empty_one_leads_to_one_that_is_not(
    page: Page, site: ReviewSite
) -> None:
    context = site.publish({"all": many_files(2), "unstaged": many_files(1)})
    page.goto(f"{site.url}/contexts/{context}")
    expect(tree_files(page)).to_have_count(2)

    page.keyboard.press("2")
    expect(page.get_by_role("heading", name="No changes in this scope")).to_be_visible()
    expect(page.locator(".footer-base")).to_contain_text("to the index")
    page.get_by_role("button", name="Show unstaged changes (1 file)").click()
    expect(tree_files(page)).to_have_count(1)
    expect(page).to_have_url(re.compile("scope=unstaged"))
    page.go_back()
    expect(page).to_have_url(re.compile("scope=staged"))


def test_coming_back_to_a_scope_comes_back_to_its_place(page: Page, site: ReviewSite) -> None:
    files = many_files(60)
    context = site.publish({"all": files, "unstaged": files[:2]})
    page.goto(f"{site.url}/contexts/{context}")
    expect(page.locator(".row").first).to_be_visible()
    page.locator(".diff").evaluate("element => element.scrollTo(0, 20_000)")
    line = page.locator(".node.current")
    expect(line).not_to_contain_text("file_000")
    name = line.locator(".node-name").inner_text()

    page.keyboard.press("3")
    expect(tree_files(page)).to_have_count(2)
    page.keyboard.press("1")
    expect(line).to_contain_text(name)


def test_a_link_opens_the_exact_line(page: Page, site: ReviewSite) -> None:
    files = many_files(60)
    target = files[50].file
    open_review(page, site, files, f"?file={target.id}&line=R17")

    cursor = page.locator(".row.cursor")
    expect(cursor).to_be_in_viewport()
    expect(cursor.locator(".num.new")).to_have_text("17")
    expect(page.get_by_role("heading", name="src/file_050.py")).to_be_in_viewport()


def test_a_link_to_a_line_that_did_not_change_opens_its_surroundings(
    page: Page, site: ReviewSite
) -> None:
    notes = made("notes.txt", BEFORE, AFTER)
    open_review(page, site, [notes], f"?file={notes.file.id}&line=R110")

    cursor = page.locator(".row.cursor")
    expect(cursor.locator(".num.new")).to_have_text("110")
    expect(cursor).to_be_in_viewport()
    expect(cursor).to_contain_text("line 109")


def test_keys_walk_through_lines_changes_and_files_and_the_address_follows(
    page: Page, site: ReviewSite
) -> None:
    open_review(page, site, [made("a.txt", BEFORE, AFTER), made("b.txt", "x\n", "y\n")])
    expect(row(page, "line sixty")).to_be_visible()

    page.keyboard.press("n")
    expect(page.locator(".row.cursor")).to_contain_text("line 60")
    expect(page).to_have_url(re.compile("line=L60"))
    page.keyboard.press("j")
    expect(page).to_have_url(re.compile("line=R60"))
    page.keyboard.press("n")
    expect(page.locator(".row.cursor")).to_contain_text("x")
    page.keyboard.press("p")
    expect(page.locator(".row.cursor")).to_contain_text("line 60")
    page.keyboard.press("]")
    expect(page.locator(".file.cursor")).to_have_attribute("aria-label", "b.txt")


def test_single_letter_keys_can_be_switched_off_and_help_says_so(
    page: Page, site: ReviewSite
) -> None:
    open_review(page, site, [made("a.txt", BEFORE, AFTER)])
    expect(row(page, "line sixty")).to_be_visible()
    page.get_by_role("button", name="Settings").click()
    page.get_by_label("Single-letter keys").uncheck()
    page.keyboard.press("Escape")

    page.keyboard.press("n")
    expect(page.locator(".row.cursor")).to_have_count(0)
    page.get_by_role("button", name="Keys and help").click()
    expect(page.get_by_role("dialog").get_by_text("switched off")).to_be_visible()


def test_every_file_says_in_words_what_is_not_in_its_lines(page: Page, site: ReviewSite) -> None:
    open_review(
        page,
        site,
        [
            made("bin/run", "a\n", "b\n", old_mode="100644", new_mode="100755"),
            withheld(
                "data.json", "too-large", patch=FilePatch(size=5_300_000, reason="too-large")
            ),
            withheld("logo.png"),
            made("moved.txt", "a\n", "a\n", status="R", old_path=GitPath(b"was.txt")),
            withheld("torn.c", "conflict", status="U", conflict="UU"),
        ],
    )

    for words in (
        "Made executable (100644 → 100755).",
        "The lines are not shown (5.3 MB): it is over the size limit of one file.",
        "Binary file, 14 kB → 19 kB.",
        "Renamed without a change of content.",
        "Unresolved conflict: changed on both sides.",
    ):
        expect(page.get_by_text(words)).to_be_visible()


def test_noise_is_folded_and_says_why(page: Page, site: ReviewSite) -> None:
    noise = Noise(noise_class="lock", reason="package-lock.json is a lock file")
    lock = made("package-lock.json", "{}\n", '{"a": 1}\n', noise=noise)
    open_review(page, site, [made("a.txt", "x\n", "y\n"), lock])

    fold = page.get_by_role("button", name="Lines of package-lock.json")
    expect(fold).to_have_attribute("aria-expanded", "false")
    expect(page.locator(".tag", has_text="lock")).to_have_attribute("title", noise.reason)
    fold.click()
    expect(row(page, '{"a": 1}')).to_be_visible()


def test_long_lines_are_cut_until_asked_for(page: Page, site: ReviewSite) -> None:
    open_review(page, site, [made("a.min.js", "x\n", "y" * 9_000 + "END\n")])
    expect(page.locator(".row").first).to_be_visible()
    page.keyboard.press("w")
    page.get_by_role("button", name="show the other 7,003 characters").click()

    expect(row(page, "yEND")).to_be_visible()


def test_the_footer_names_the_baseline(page: Page, site: ReviewSite) -> None:
    comparison = Comparison(policy="auto", kind="working-tree", fallback="no-default-branch")
    context = site.publish(many_files(1), comparison=comparison)
    page.goto(f"{site.url}/contexts/{context}")

    expect(page.locator(".footer-base")).to_contain_text("no default branch was found")


def test_on_a_phone_the_tree_is_a_drawer_and_the_layout_unified(
    page: Page, site: ReviewSite
) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    page.add_init_script("""localStorage.setItem("diffx.prefs", '{"layout":"split"}')""")
    open_review(page, site, many_files(5))
    expect(page.locator(".row").first).to_be_visible()
    expect(page.locator(".row.pair")).to_have_count(0)
    expect(page.get_by_role("tree")).not_to_be_visible()

    page.get_by_role("button", name="File tree").click()
    page.get_by_role("treeitem", name=re.compile("file_004")).click()
    expect(page.get_by_role("tree")).not_to_be_visible()
    expect(page.get_by_role("heading", name="src/file_004.py")).to_be_in_viewport()


def test_copied_lines_are_the_files_own_text(page: Page, site: ReviewSite) -> None:
    open_review(page, site, [made("a.txt", "x\n", "one \u202e two\n\tthree\n")])
    expect(page.locator(".row.add")).to_have_count(2)
    expect(page.get_by_role("button", name="Finish")).to_be_visible()  # what copies is there too
    page.evaluate(
        """() => {
            const cells = document.querySelectorAll(".row.add .text");
            const range = document.createRange();
            range.setStart(cells[0], 0);
            range.setEnd(cells[1], cells[1].childNodes.length);
            document.getSelection().removeAllRanges();
            document.getSelection().addRange(range);
        }"""
    )
    page.keyboard.press("Control+c")

    copied = "async (text) => (await navigator.clipboard.readText()) === text"
    wait_until(page, copied, "one \u202e two\n\tthree")


def test_the_path_of_a_file_can_be_copied(page: Page, site: ReviewSite) -> None:
    open_review(page, site, [made("src/a.txt", "x\n", "y\n")])
    page.get_by_role("button", name="Copy the path src/a.txt").click()

    expect(page.get_by_text("Path copied").first).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == "src/a.txt"
