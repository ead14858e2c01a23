import type { ScriptSource } from "./script-source.ts";
import { sdkModule } from "./sdk-names.ts";

export type Resolved =
  | { readonly kind: "sdk" }
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "missing"; readonly path: string } // local, but the script has no such file
  | { readonly kind: "foreign" };

/** Where an import leads, from the texts alone: nothing is looked up on disk. */
export function resolveImport(source: ScriptSource, importer: string, specifier: string): Resolved {
  if (specifier === sdkModule) return { kind: "sdk" };
  if (!/^\.\.?\//.test(specifier)) return { kind: "foreign" };
  const path = joinPath(importer, specifier);
  if (path === null) return { kind: "foreign" };
  const found = candidates(path).find((each) => Object.hasOwn(source.files, each));
  return found === undefined ? { kind: "missing", path } : { kind: "file", path: found };
}

/** Null for a path that leaves the script. */
function joinPath(importer: string, specifier: string): string | null {
  const parts = importer.split("/").slice(0, -1);
  for (const part of specifier.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return parts.join("/");
}

/** As written; without its ending; and TypeScript's habit of naming the output `.js`. */
function candidates(path: string): string[] {
  return [path, `${path}.ts`, `${path}.js`, path.replace(/\.(m?)js$/, ".$1ts")];
}
