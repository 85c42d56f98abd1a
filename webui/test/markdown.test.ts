import { strict as assert } from "node:assert";
import { test } from "node:test";
import { type Block, brokenLines, parseInline, parseMarkdown } from "../src/text/markdown.ts";
import { seeds } from "./random.ts";

const parse = (text: string): Block[] => parseMarkdown(text.split("\n"));
const brief = (block: Block): unknown => block.blocks ? [block.kind, block.blocks.map(brief)] : [block.kind, block.text ?? block.rows ?? null];

test("blocks are told apart and know their lines", () => {
  const text = "# Title #\n\nsome\nwords\n***\n> quoted\n> - item\n\n```js\n# no\n```\n| a | b |\n|---|:-:|\n| 1 | 2 |\nlast";
  assert.deepEqual(parse(text).map(brief), [
    ["heading", "Title"], ["paragraph", "some\nwords"], ["rule", null],
    ["quote", [["paragraph", "quoted"], ["list", [["item", [["paragraph", "item"]]]]]]],
    ["code", "# no"], ["table", [["a", "b"], ["1", "2"]]], ["paragraph", "last"],
  ]);
  assert.deepEqual(parse(text).map(({ from, to }) => [from, to]), [[1, 1], [3, 4], [5, 5], [6, 7], [9, 11], [12, 14], [15, 15]]);
});

test("lists nest, count, and keep their paragraphs", () => {
  assert.deepEqual(parse("1. one\n   more\n\n   - inner\n2. two\n- other").map(brief), [
    ["list", [["item", [["paragraph", "one\nmore"], ["list", [["item", [["paragraph", "inner"]]]]]]], ["item", [["paragraph", "two"]]]]],
    ["list", [["item", [["paragraph", "other"]]]]],
  ]);
});

test("a bar after a backslash stays in its cell, in code too", () => {
  assert.deepEqual(parse("| a \\| b | `c \\| d` |\n|---|---|\n| 1 | 2 \\|").map(brief), [["table", [["a | b", "`c | d`"], ["1", "2 |"]]]]);
});

test("a paragraph's lines flow together but where a break was asked for", () => {
  const [{ text = "" }] = parse("one\n two \nthree  \nfour\\\r\nfive  ");
  assert.deepEqual(brokenLines(text), ["one two three", "four", "five"]);
});

test("words carry their emphasis, and what is not understood stays as it is", () => {
  assert.deepEqual(parseInline("a `b*c*` **d *e*** snake_case_name <b>x</b>"), ["a ", { kind: "code", parts: ["b*c*"] }, " ", { kind: "strong", parts: ["d ", { kind: "em", parts: ["e"] }] }, " snake_case_name <b>x</b>"]);
  assert.deepEqual(parseInline("[t](http://x \"y\") ![alt](a.png)"), [
    { kind: "link", parts: ["t"], to: "http://x" }, " ", { kind: "image", parts: ["alt"], to: "a.png" },
  ]);
});

test("any text ends, and every line of it belongs to one block at most", () => {
  const signs = ["#", "- ", "> ", "1. ", "```", "|", "---", "  ", "x", "*", "_", "`", "[", "](", ")", "\n", "\n", "\n"];
  for (const random of seeds(300)) {
    const text = Array.from({ length: random(60) }, () => signs[random(signs.length)]).join("");
    let last = 0;
    for (const { from, to } of parse(text)) {
      assert.ok(from > last && to >= from, JSON.stringify(text));
      last = to;
    }
    parseInline(text);
  }
});
