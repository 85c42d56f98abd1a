/** The edge between tree and diff: drag it, or move it with the arrow keys. */
import { prefer, prefs, TREE_WIDTHS } from "../state/prefs.ts";

const STEP = 20;

export function Resizer() {
  const width = prefs.value.treeWidth;
  const set = (wanted: number): void =>
    prefer({ treeWidth: Math.round(Math.max(TREE_WIDTHS.least, Math.min(TREE_WIDTHS.most, wanted))) });
  const pressed = (event: KeyboardEvent): void => {
    const way = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!way) return;
    event.preventDefault();
    set(width + way * STEP);
  };
  return (
    <div class="resizer" role="separator" aria-orientation="vertical" aria-label="Width of the file tree"
      aria-valuenow={width} aria-valuemin={TREE_WIDTHS.least} aria-valuemax={TREE_WIDTHS.most} tabIndex={0}
      onKeyDown={pressed} onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={(event) => { if (event.currentTarget.hasPointerCapture(event.pointerId)) set(event.clientX); }} />
  );
}
