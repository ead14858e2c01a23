import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A text file of the project. Paths are relative to the root and use "/" on every platform. */
export type SourceFile = { readonly path: string; readonly text: string };

// Nobody writes these by hand, so no rule looks at them. The same names stand in .gitignore.
const skippedFolders = new Set([
  "node_modules",
  ".git",
  "dist",
  "coverage",
  ".holdfast",
  "artifacts",
]);
const textFile =
  /(\.(ts|tsx|mts|js|jsx|mjs|cjs|json|md|sql|sh|css|html|ya?ml|toml)|^\.\w+|\/\.\w+|^\.ci\/\w+)$/;

export function readSourceFiles(root: string): SourceFile[] {
  return listPaths(root, "")
    .filter((path) => textFile.test(path))
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
}

function listPaths(root: string, folder: string): string[] {
  const found: string[] = [];
  for (const name of readdirSync(join(root, folder)).sort()) {
    if (skippedFolders.has(name)) continue;
    const path = folder === "" ? name : `${folder}/${name}`;
    const stat = lstatSync(join(root, path));
    if (stat.isDirectory()) found.push(...listPaths(root, path));
    else if (stat.isFile()) found.push(path);
  }
  return found;
}

export function isTypeScript(path: string): boolean {
  return /\.(ts|tsx|mts)$/.test(path);
}

/** Code in the sense of the size limits: what a person reads line by line. */
export function isCode(path: string): boolean {
  return /\.(ts|tsx|mts|js|jsx|mjs|cjs|sql|sh|css)$/.test(path) || path.startsWith(".ci/");
}

export function isMarkdown(path: string): boolean {
  return path.endsWith(".md");
}

/** A test by its name; the only files that Vitest, or a test, loads. */
export function isTestFile(path: string): boolean {
  return /\.(test|testsuite)\.tsx?$/.test(path);
}

/** A test or what only tests use: fakes and contract suites live in `testing/` folders. */
export function isTestSupport(path: string): boolean {
  const inside = path.slice(packageRootOf(path).length);
  return isTestFile(path) || inside.includes("/testing/") || path.startsWith("tests/");
}

/** `packages/core` or `apps/cli`; "" for the root package: scripts, bench, tests. */
export function packageRootOf(path: string): string {
  return /^(packages|apps)\/[^/]+(?=\/)/.exec(path)?.[0] ?? "";
}
