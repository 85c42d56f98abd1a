declare module "*.css";
/** A style sheet as text, for a part of the page that comes later: see `ui/Later.tsx`. */
declare module "*.css?sheet" {
  const text: string;
  export default text;
}
