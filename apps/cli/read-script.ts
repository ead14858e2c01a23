import { readFileSync } from "node:fs";
import { basename, dirname, join, posix } from "node:path";
import type { ScriptSource } from "@holdfast/sandbox";
import { UsageError } from "./store-place.ts";

/** Local imports, found without parsing: what is taken for one in vain is simply not there. */
const localImport = /(?:from|import)\s*["'](\.{1,2}\/[^"']+)["']/g;

/** A script with the files beside it that it imports. Nothing outside its folder is read. */
export function readScript(path: string): ScriptSource {
  const folder = dirname(path);
  const entry = basename(path);
  const files: Record<string, string> = {};
  const waiting = [entry];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const text = files[name] === undefined ? readText(join(folder, name)) : null;
    if (text === null) continue;
    files[name] = text;
    for (const [, specifier = ""] of text.matchAll(localImport)) {
      const imported = posix.join(posix.dirname(name), specifier);
      if (!imported.startsWith("..")) waiting.push(...candidates(imported));
    }
  }
  if (files[entry] === undefined) throw new UsageError(`${path} cannot be read`);
  return { entry, files };
}

/** As written, without its ending, or by the name it has when it is compiled. */
function candidates(path: string): readonly string[] {
  return [path, `${path}.ts`, `${path}.js`, path.replace(/\.(m?)js$/, ".$1ts")];
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "EISDIR" || code === "ENOTDIR") return null;
    throw new UsageError(`${path} cannot be read (${code})`);
  }
}
