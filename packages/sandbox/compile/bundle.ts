import type { BuildFailure, Message as Note, Plugin } from "esbuild";
import { type Problem, problemAt } from "../validate/problem.ts";
import { resolveImport } from "./resolve-import.ts";
import type { ScriptSource } from "./script-source.ts";
import { sdkNames } from "./sdk-names.ts";

export type Bundle =
  | { readonly ok: true; readonly code: string; readonly map: string }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** Where the bundle keeps the entry's exports; the last expression of the code reads it. */
const exportsName = "__holdfast_script";
const serviceGone = /service (was stopped|is no longer running)/;

/** One classic script from checked sources. Nothing is read from disk and nothing is written. */
export async function bundle(source: ScriptSource): Promise<Bundle> {
  try {
    return await buildOnce(source);
  } catch (error) {
    if (!(error instanceof Error) || !serviceGone.test(error.message)) return failed(source, error);
    // Its process died, and without this no later build in this host would ever succeed.
    const { stop } = await import("esbuild");
    await stop();
    return await buildOnce(source).catch((again) => failed(source, again));
  }
}

async function buildOnce(source: ScriptSource): Promise<Bundle> {
  // Loaded when something is deployed, not by every host that starts.
  const { build } = await import("esbuild");
  const result = await build({
    entryPoints: [source.entry],
    bundle: true,
    write: false,
    outfile: "script.js",
    absWorkingDir: "/",
    tsconfigRaw: {},
    platform: "neutral",
    format: "iife",
    globalName: exportsName,
    target: "es2023",
    keepNames: true,
    charset: "utf8",
    legalComments: "none",
    sourcemap: "external",
    sourcesContent: false,
    logLevel: "silent",
    banner: { js: '"use strict";' },
    footer: { js: `;${exportsName}.default;` },
    plugins: [onlyFrom(source)],
  });
  const text = (end: string): string =>
    result.outputFiles.find(({ path }) => path.endsWith(end))?.text ?? "";
  return { ok: true, code: text(".js"), map: text(".js.map") };
}

/** Answers every question about modules itself, so that the file system is never asked. */
function onlyFrom(source: ScriptSource): Plugin {
  return {
    name: "only-the-script",
    setup(hooks) {
      hooks.onResolve({ filter: /.*/ }, ({ kind, path, importer }) => {
        if (kind === "entry-point") return { path: source.entry, namespace: "script" };
        const resolved = resolveImport(source, importer, path);
        if (resolved.kind === "sdk") return { path, namespace: "sdk" };
        if (resolved.kind === "file") return { path: resolved.path, namespace: "script" };
        return { errors: [{ text: `${JSON.stringify(path)} cannot be imported` }] };
      });
      hooks.onLoad({ filter: /.*/, namespace: "script" }, ({ path }) => ({
        contents: source.files[path] ?? "",
        loader: /\.m?ts$/.test(path) ? "ts" : "js",
      }));
      hooks.onLoad({ filter: /.*/, namespace: "sdk" }, () => ({
        contents: `export const { ${sdkNames.join(", ")} } = globalThis.Keep;`,
        loader: "js",
      }));
    },
  };
}

function failed(source: ScriptSource, error: unknown): Bundle {
  const notes = isBuildFailure(error) ? error.errors : [];
  if (notes.length === 0) throw error;
  return { ok: false, problems: notes.map((note) => problemFrom(source, note)) };
}

function isBuildFailure(error: unknown): error is BuildFailure {
  return error instanceof Error && "errors" in error && Array.isArray(error.errors);
}

function problemFrom(source: ScriptSource, note: Note): Problem {
  const file = note.location?.file.replace(/^script:/, "") ?? source.entry;
  const { line = 1, column: bytes = 0, lineText = "" } = note.location ?? {};
  // esbuild counts bytes of UTF-8.
  const column = Buffer.from(lineText, "utf8").subarray(0, bytes).toString("utf8").length + 1;
  return problemAt({ file, line, column }, "syntax_error", `${note.text}.`);
}
