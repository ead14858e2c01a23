import { type Hash, hashText } from "@holdfast/core";
import { type Problem, problemAt } from "../validate/problem.ts";
import { askApart } from "./apart/ask-apart.ts";
import { bundle } from "./bundle.ts";
import { checkSource } from "./check-source.ts";
import type { ScriptSource } from "./script-source.ts";

export type { ScriptSource } from "./script-source.ts";

/** One strict classic script whose completion value is what the entry exports as default. */
export type CompiledScript = {
  readonly code: string;
  readonly codeHash: Hash;
  readonly map: string; // source map, JSON
};

export type Compiled =
  | { readonly ok: true; readonly script: CompiledScript }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** Never touches disk or network, and never runs any of the script. */
export async function compileScript(source: ScriptSource): Promise<Compiled> {
  const refused = checkSource(source);
  if (refused.length > 0) return { ok: false, problems: refused };
  const read = await askApart({ kind: "syntax", source });
  if (!read.ok) return { ok: false, problems: [unreadable(source, read.reason)] };
  if (read.answer.problems.length > 0) return { ok: false, problems: read.answer.problems };
  const bundled = await bundle(source);
  if (!bundled.ok) return bundled;
  const { code, map } = bundled;
  return { ok: true, script: { code, codeHash: hashText(new TextEncoder().encode(code)), map } };
}

/** The parser gave up with its process; where in the text, it could not say. */
export function unreadable(source: ScriptSource, reason: "died" | "too_slow"): Problem {
  const place = { file: source.entry, line: 1, column: 1 };
  const cause =
    reason === "died"
      ? "The syntax is nested so deeply that the parser gave up."
      : "The script is so intricate that reading it took too long.";
  return problemAt(place, "source_too_deep", cause);
}
