import { askApart } from "../compile/apart/ask-apart.ts";
import { type CompiledScript, compileScript, unreadable } from "../compile/compile-script.ts";
import { originalPosition } from "../compile/original-position.ts";
import type { ScriptSource } from "../compile/script-source.ts";
import { emptyManifest, type Manifest } from "../manifest/manifest.ts";
import { readDefinition } from "../manifest/read-manifest.ts";
import { checkMachines } from "./check-machines.ts";
import type { Known } from "./known.ts";
import { type Problem, problemAt } from "./problem.ts";

export type { Known } from "./known.ts";
export type { Problem } from "./problem.ts";

/** Runs the script once in an empty world and hands out what it exports. */
export type Inspect = (script: CompiledScript) => Promise<Inspected>;

export type Inspected =
  | { readonly ok: true; readonly definition: unknown }
  | {
      readonly ok: false;
      readonly code: string;
      readonly message: string;
      readonly line: number | null; // in the compiled code, from 1; null = nobody knows
      readonly column: number | null;
    };

export type Validated = {
  readonly manifest: Manifest | null; // null = nothing that could be deployed
  readonly problems: readonly Problem[];
};

/** UTF-16 units of a script's own error text in a problem. */
const causeCharsMax = 300;

/** What a script declares and what is wrong with it. Nothing it contains can break the caller. */
export async function validate(
  source: ScriptSource,
  inspect: Inspect,
  known: Known = {},
): Promise<Validated> {
  const compiled = await compileScript(source);
  if (!compiled.ok) return { manifest: null, problems: compiled.problems };
  const inspected = await inspect(compiled.script);
  const read = inspected.ok ? readDefinition(inspected.definition) : null;
  const manifest = read?.manifest ?? emptyManifest;
  const complete = read !== null && read.faults.length === 0;
  const located = read ? [...read.faults, ...read.warnings] : [];
  const input = { manifest, complete, located, known };
  const asked = await askApart({ kind: "checks", source, input });
  if (!asked.ok) return { manifest: null, problems: [unreadable(source, asked.reason)] };
  const { problems, operations, forms } = asked.answer;
  if (!inspected.ok) {
    // The isolate cannot say where the clock was asked; if the source shows it, that is enough.
    const shown =
      inspected.code === "SCRIPT_TOP_LEVEL" &&
      problems.some(({ code }) => code === "time_at_top_level");
    const failed = shown ? [] : [failure(source, compiled.script, inspected)];
    return { manifest: null, problems: [...failed, ...problems] };
  }
  if (!complete) return { manifest: null, problems };
  // Where something is wrong already, it would be said of the machines once more.
  const isFaulty = problems.some(({ severity }) => severity === "error");
  const machines = checkMachines(source, manifest, isFaulty ? {} : known);
  const { effects } = machines;
  return {
    manifest: { ...manifest, effects, operations, forms },
    problems: [...machines.problems, ...problems],
  };
}

function failure(
  source: ScriptSource,
  script: CompiledScript,
  { code, message, line, column }: Extract<Inspected, { ok: false }>,
): Problem {
  const found = line === null ? null : originalPosition(script, line, column ?? 1);
  const place = found ?? { file: source.entry, line: 1, column: 1 };
  // The script's own words end up on people's terminals, so nothing in them may steer one.
  const text = message
    .replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, " ")
    .trim()
    .slice(0, causeCharsMax)
    .toWellFormed();
  return problemAt(
    place,
    "script_threw",
    `The script failed while it was loaded (${code}): ${text}`,
  );
}
