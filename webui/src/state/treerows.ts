/** The tree row by row, as it is drawn and walked through. */
import { filesInOrder, type Folder, type Leaf } from "./tree.ts";

export interface TreeRow {
  readonly node: Folder | Leaf;
  readonly level: number;
  readonly position: number;
  readonly siblings: number;
  readonly parent: number;
}

/** The rows to draw; folders in `closed` keep their children to themselves. */
export function treeRows(nodes: ReadonlyArray<Folder | Leaf>, closed: ReadonlySet<string>): TreeRow[] {
  const rows: TreeRow[] = [];
  const walk = (children: ReadonlyArray<Folder | Leaf>, level: number, parent: number): void => {
    children.forEach((node, at) => {
      const here = rows.length;
      rows.push({ node, level, position: at + 1, siblings: children.length, parent });
      if (node.kind === "folder" && !closed.has(node.key)) walk(node.children, level + 1, here);
    });
  };
  walk(nodes, 1, -1);
  return rows;
}

/** The row that stands for a file: its own, else that of the closed folder that keeps it; -1 for none. */
export function rowOfFile(rows: readonly TreeRow[], id: string | null): number {
  const own = rows.findIndex(({ node }) => node.kind === "file" && node.key === id);
  return own >= 0 || id === null ? own
    : rows.findLastIndex(({ node }) => node.kind === "folder" && filesInOrder(node.children).some((file) => file.id === id));
}
