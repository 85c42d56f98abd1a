/** Where a file opens: addresses that editors listen to. No program is started by the server, and no DOM here. */
import type { ChangedFile } from "../api/types.gen.ts";

export interface Editor {
  readonly name: string;
  readonly template: string;
}

export const EDITORS: readonly Editor[] = [
  { name: "VS Code", template: "vscode://file{path}:{line}" },
  { name: "VS Code Insiders", template: "vscode-insiders://file{path}:{line}" },
  { name: "VSCodium", template: "vscodium://file{path}:{line}" },
  { name: "Cursor", template: "cursor://file{path}:{line}" },
  { name: "Windsurf", template: "windsurf://file{path}:{line}" },
  { name: "Zed", template: "zed://file{path}:{line}" },
  { name: "IntelliJ IDEA", template: "idea://open?file={path}&line={line}" },
  { name: "PyCharm", template: "pycharm://open?file={path}&line={line}" },
  { name: "WebStorm", template: "webstorm://open?file={path}&line={line}" },
  { name: "Sublime Text", template: "subl://open?url=file://{path}&line={line}" },
  { name: "TextMate", template: "txmt://open?url=file://{path}&line={line}" },
];

/** Schemes that a browser acts on itself, and would with whatever a file is called. */
const BROWSERS_OWN = /^(?:javascript|data|vbscript|blob|about|file|filesystem|view-source|https?|wss?|ftp|chrome|edge|moz-extension|chrome-extension|resource)$/;

/** What is wrong with a template, in words; null where nothing is. */
export function templateTrouble(template: string): string | null {
  const scheme = /^([a-z][a-z0-9+.-]*):/.exec(template)?.[1];
  if (!scheme) return "It begins with the editor's own scheme, as in vscode://file{path}:{line}.";
  if (BROWSERS_OWN.test(scheme)) return `${scheme}: is the browser's own; an editor has another scheme.`;
  if (!template.includes("{path}")) return "It holds {path}, and {line} where the editor takes one.";
  if (/[\s<>"\\^`|]|[^\x20-\x7e]/.test(template)) return "It holds a character that an address cannot have.";
  return null;
}

/** The address that opens a line of a file; whatever the file is called, it stays a path in it. */
export function editorLink(template: string, root: string, file: ChangedFile, line: number): string | null {
  if (templateTrouble(template)) return null;
  const top = root.replace(/^([A-Za-z]:)[\\/]/, "/$1/").replace(/[\\/]+$/, "");
  const path = `${escaped(new TextEncoder().encode(top))}/${escaped(bytesOf(file))}`;
  // One pass: a path that holds "{line}" is not filled in again.
  return template.replace(/\{(path|line)\}/g, (_, what: string) => (what === "path" ? path : String(Math.max(1, line))));
}

/** A path's own bytes: its display form is another text where they are not UTF-8. */
function bytesOf({ path, pathBytes }: ChangedFile): Uint8Array {
  if (pathBytes === undefined) return new TextEncoder().encode(path);
  return Uint8Array.from(atob(pathBytes), (character) => character.charCodeAt(0));
}

function escaped(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) {
    const character = String.fromCharCode(byte);
    text += /[A-Za-z0-9/._~-]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return text;
}
