import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { ScriptSource } from "../../compile/script-source.ts";

/**
 * Scripts on disk end in `.txt`: a formatter would move the faults, and the compiler would refuse
 * them. A folder is one script of several files whose entry is `main.ts` or `main.js`.
 */
export function readScripts(folder: URL): ReadonlyMap<string, ScriptSource> {
  const scripts = new Map<string, ScriptSource>();
  for (const each of readdirSync(fileURLToPath(folder), { withFileTypes: true })) {
    if (each.isDirectory()) scripts.set(each.name, readFolder(new URL(`${each.name}/`, folder)));
    else if (each.name.endsWith(".txt")) {
      const path = each.name.slice(0, -".txt".length);
      const text = readFileSync(new URL(each.name, folder), "utf8");
      scripts.set(path, { entry: path, files: { [path]: text } });
    }
  }
  return scripts;
}

function readFolder(folder: URL): ScriptSource {
  const files: Record<string, string> = {};
  for (const name of readdirSync(folder)) {
    // `__` stands for a slash.
    files[name.slice(0, -".txt".length).replaceAll("__", "/")] = readFileSync(
      new URL(name, folder),
      "utf8",
    );
  }
  const entry = Object.keys(files).find((path) => /^main\.[jt]s$/.test(path)) ?? "main.ts";
  return { entry, files };
}
