/** The clipboard, which a browser may refuse. */

export async function copy(text: string, what: string, say: (words: string) => void): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    say(`${what} copied`);
  } catch {
    say(`The browser did not allow copying: ${text.slice(0, 200)}`);
  }
}
