/** Repeatable randomness for property tests. */

export type Random = (below: number) => number;

/** So many generators, each with a seed of its own. */
export function* seeds(count: number): Generator<Random> {
  for (let seed = 1; seed <= count; seed++) yield generator(seed);
}

function generator(seed: number): Random {
  let state = seed * 2_654_435_761;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 3_266_489_917) >>> 0;
    return Math.floor((state / 4_294_967_296) * below);
  };
}

const WORDS = ["alpha", "beta", "(x)", "  ", "return", "= 1;", "\t", "élan", "🙂", ""];

export function randomLine(random: Random): string {
  let line = "";
  for (let i = random(6); i > 0; i--) line += WORDS[random(WORDS.length)];
  return line;
}

/** Hunks in git's form, and their lines with the sign in front. */
export function randomPatch(random: Random): { text: string; lines: string[] } {
  let text = "";
  let [oldLine, newLine] = [1, 1];
  const lines: string[] = [];
  for (let hunk = random(4) + 1; hunk > 0; hunk--) {
    const gap = random(30);
    oldLine += gap;
    newLine += gap;
    const body = hunkBody(random);
    const [olds, news] = ["-", "+"].map((sign) => body.filter((line) => line[0] === " " || line[0] === sign).length);
    text += `@@ -${olds ? oldLine : oldLine - 1},${olds} +${news ? newLine : newLine - 1},${news} @@\n`;
    text += body.map((line) => line + "\n").join("");
    lines.push(...body);
    oldLine += olds;
    newLine += news;
  }
  return { text, lines };
}

function hunkBody(random: Random): string[] {
  const body: string[] = [];
  for (let part = random(4) + 1; part > 0; part--) {
    const put = (sign: string, most: number): void => {
      for (let i = random(most); i > 0; i--) body.push(sign + randomLine(random));
    };
    put(" ", 4);
    put("-", 5);
    put("+", 5);
  }
  return body.length ? body : [" "];
}
