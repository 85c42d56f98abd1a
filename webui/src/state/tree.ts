/** Changed files as a tree: folders in the order of their first file, lone folders joined. */
import type { ChangedFile } from "../api/types.gen.ts";

export interface Folder {
  readonly kind: "folder";
  /** Unique, and the same for the same folder later. */
  readonly key: string;
  readonly name: string;
  readonly children: ReadonlyArray<Folder | Leaf>;
  readonly files: number;
}

export interface Leaf {
  readonly kind: "file";
  readonly key: string;
  readonly name: string;
  readonly file: ChangedFile;
}

interface Draft {
  readonly key: string;
  readonly name: string;
  /** A commit of a series: it keeps its row to itself, for its words are no folder's. */
  readonly alone: boolean;
  readonly children: Map<string, Draft | Leaf>;
}

export function buildTree(files: readonly ChangedFile[]): ReadonlyArray<Folder | Leaf> {
  const top: Draft = { key: "", name: "", alone: true, children: new Map() };
  for (const file of files) {
    const names = file.path.split("/").filter((name, at, all) => name !== "" || at === all.length - 1);
    // A path that ends in "/" is a folder listed as one entry: a nested repository.
    const leaf = names.at(-1) === "" ? `${names.at(-2) ?? ""}/` : names.at(-1) ?? file.path;
    const folders = names.slice(0, names.at(-1) === "" ? -2 : -1);
    const under = file.commit ? folderIn(top, `commit ${file.commit}`, true) : top;
    const folder = folders.reduce((parent, name) => folderIn(parent, name), under);
    folder.children.set(`file ${file.id}`, { kind: "file", key: file.id, name: leaf, file });
  }
  return [...top.children.values()].map(finish);
}

function folderIn(parent: Draft, name: string, alone = false): Draft {
  const found = parent.children.get(`folder ${name}`);
  if (found && "children" in found) return found as Draft;
  const made: Draft = { key: `${parent.key}${name}/`, name, alone, children: new Map() };
  parent.children.set(`folder ${name}`, made);
  return made;
}

function finish(draft: Draft | Leaf): Folder | Leaf {
  if ("file" in draft) return draft;
  let { name } = draft;
  let inner = draft;
  while (!draft.alone && inner.children.size === 1) {
    const [only] = inner.children.values();
    if ("file" in only) break;
    name += `/${only.name}`;
    inner = only;
  }
  const children = [...inner.children.values()].map(finish);
  const files = children.reduce((sum, child) => sum + (child.kind === "file" ? 1 : child.files), 0);
  return { kind: "folder", key: inner.key, name, children, files };
}

/** The files in the tree's order: the order of the diff. */
export function filesInOrder(nodes: ReadonlyArray<Folder | Leaf>): ChangedFile[] {
  return nodes.flatMap((node) => (node.kind === "file" ? [node.file] : filesInOrder(node.children)));
}

/**
 * Whether a file passes the filter: each word must be in its path (or old path), in any case.
 * A word with "!" in front must not be.
 */
export function matches(file: ChangedFile, filter: string): boolean {
  const paths = `${file.path}\n${file.oldPath ?? ""}`.toLowerCase();
  return filter.toLowerCase().split(/\s+/).filter(Boolean).every((word) =>
    word.startsWith("!") && word.length > 1 ? !paths.includes(word.slice(1)) : paths.includes(word));
}
