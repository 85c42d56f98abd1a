/** The few parts of Node that the tests use, so that no package of types is needed. */
declare module "node:assert" {
  export const strict: {
    equal(actual: unknown, expected: unknown, message?: string): void;
    notEqual(actual: unknown, expected: unknown, message?: string): void;
    deepEqual(actual: unknown, expected: unknown, message?: string): void;
    match(value: string, expected: RegExp, message?: string): void;
    ok(value: unknown, message?: string): asserts value;
    throws(run: () => unknown, pattern?: RegExp): void;
    rejects(run: Promise<unknown>, pattern?: RegExp): Promise<void>;
  };
}
declare module "node:test" {
  interface TestContext { skip(why: string): void; }
  export function test(name: string, run: (context: TestContext) => void | Promise<void>): void;
}
declare module "node:fs" {
  export function readFileSync(file: string, encoding: "utf8"): string;
  export function readdirSync(folder: string): string[];
  export function existsSync(path: string): boolean;
}
declare const process: { readonly env: { readonly DIFFX_CONTRACTS: string } };
