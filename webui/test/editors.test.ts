import { strict as assert } from "node:assert";
import { test } from "node:test";
import { EDITORS, editorLink, templateTrouble } from "../src/state/editors.ts";
import { checked } from "../src/state/prefs.ts";
import { seeds } from "./random.ts";
import { file } from "./samples.ts";

const CODE = "vscode://file{path}:{line}";
const link = (path: string, template = CODE, root = "/home/me/shop"): string => editorLink(template, root, file(path), 7) ?? "";

test("every editor that is listed takes a path and a line", () => {
  for (const { template } of EDITORS) {
    assert.equal(templateTrouble(template), null);
    assert.match(link("src/a.py", template), /\/home\/me\/shop\/src\/a\.py.*7$/);
  }
  assert.equal(link("src/a.py"), "vscode://file/home/me/shop/src/a.py:7");
  assert.equal(editorLink(CODE, "/", file("a"), 0), "vscode://file/a:1");
});

test("whatever a file is called, it stays a path", () => {
  assert.equal(link("a b.py"), "vscode://file/home/me/shop/a%20b.py:7");
  assert.equal(link("a:99"), "vscode://file/home/me/shop/a%3A99:7");
  assert.equal(link("x?y#z&line=1%00"), "vscode://file/home/me/shop/x%3Fy%23z%26line%3D1%2500:7");
  assert.equal(link("{line}/{path}"), "vscode://file/home/me/shop/%7Bline%7D/%7Bpath%7D:7");
  assert.equal(link("é\u2028\ud800"), "vscode://file/home/me/shop/%C3%A9%E2%80%A8%EF%BF%BD:7");
  assert.equal(link("a", CODE, "/home/o'x y/"), "vscode://file/home/o%27x%20y/a:7");
  assert.equal(link("a", CODE, "C:\\work"), "vscode://file/C%3A/work/a:7");
});

test("a path that is not UTF-8 is named by its own bytes", () => {
  const odd = file("a\\xff.py", { pathBytes: btoa("a\xff.py") });
  assert.equal(editorLink(CODE, "/r", odd, 1), "vscode://file/r/a%FF.py:1");
});

test("no path leaves its place in the address", () => {
  for (const random of seeds(200)) {
    const path = Array.from({ length: 12 }, () => String.fromCodePoint(random(0x2fff) + 1)).join("");
    assert.match(link(path), /^vscode:\/\/file\/home\/me\/shop\/[A-Za-z0-9/._~%-]+:7$/);
  }
});

test("an address that the browser itself would act on is refused", () => {
  for (const bad of [
    "javascript:alert({path})", "JavaScript:{path}", "data:text/html,{path}", "https://x.test/{path}", "file://{path}", "{path}", "",
    "vscode://file", " vscode://{path}", "vscode://{path}\n", "java\tscript:{path}", "x://{path}<b>",
  ]) {
    assert.ok(templateTrouble(bad), bad);
    assert.equal(editorLink(bad, "/r", file("a"), 1), null);
  }
  assert.equal(templateTrouble("vscode://vscode-remote/ssh-remote+box{path}:{line}"), null);
});

test("a kept editor is text of bounded length, or none", () => {
  assert.equal(checked({ editor: 7 }).editor, "");
  assert.equal(checked({ editor: "x".repeat(1_000) }).editor.length, 400);
});
