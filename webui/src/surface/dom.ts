/** Elements without markup: nothing here can turn text into code. */

type Child = Node | string | null | false;

export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Readonly<Record<string, string | number>> = {}, ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const name in attributes) element.setAttribute(name, String(attributes[name]));
  for (const child of children) if (child !== null && child !== false) element.append(child);
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

/** A drawing in a 16 by 16 square, as tall as the text around it. */
export function icon(path: string): SVGSVGElement {
  const svg = document.createElementNS(SVG, "svg");
  const line = document.createElementNS(SVG, "path");
  for (const [name, value] of [["viewBox", "0 0 16 16"], ["class", "icon"], ["aria-hidden", "true"]]) {
    svg.setAttribute(name, value);
  }
  line.setAttribute("d", path);
  svg.append(line);
  return svg;
}
