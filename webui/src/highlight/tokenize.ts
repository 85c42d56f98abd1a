/** Code to tokens. The only file that knows the highlighter. Runs in the worker. */
import { isSupportedLanguage, LiveTokenizer } from "@pierre/highlights";
import pierreDark from "@pierre/highlights/themes/pierre-dark";
import type { Tokens } from "../diff/sheet.ts";

export { isSupportedLanguage };

/** Tokens by line. The theme is asked for by the highlighter; its colours are not used. */
export function tokenize(code: string, language: string): Tokens {
  // It takes a lone return for the end of a line, which Git does not.
  const options = { code: code.replaceAll("\r", " "), lang: language, theme: pierreDark };
  const tokenizer = new LiveTokenizer(options as ConstructorParameters<typeof LiveTokenizer>[0]);
  try {
    tokenizer.flush();
    return collect(tokenizer);
  } finally {
    tokenizer.dispose();
  }
}

function collect(tokenizer: LiveTokenizer): Tokens {
  const starts = new Uint32Array(tokenizer.lineCount + 1);
  let records = new Uint32Array(tokenizer.lineCount * 8 + 64);
  let count = 0;
  for (let line = 0; line < tokenizer.lineCount; line++) {
    const { format, data } = tokenizer.getLineRecords(line);
    if (format === "packed24") {
      if (count + data.length > records.length) {
        const wider = new Uint32Array((count + data.length) * 2);
        wider.set(records);
        records = wider;
      }
      records.set(data, count);
      count += data.length;
    }
    starts[line + 1] = count;
  }
  return { starts, records: records.slice(0, count) };
}
