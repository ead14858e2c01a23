import { contentHash } from "@holdfast/core";
import { compileSet, type EffectDeclaration } from "@holdfast/core/machine";
import type { ScriptSource } from "../compile/script-source.ts";
import type { Manifest } from "../manifest/manifest.ts";
import type { Known } from "./known.ts";
import { type Problem, problemAt } from "./problem.ts";

type Checked = {
  /** What its machines name, of what there is. */
  readonly effects: readonly EffectDeclaration[];
  readonly problems: readonly Problem[];
};

/** Whether its machines can be run together, on a host with these connectors. */
export function checkMachines(source: ScriptSource, manifest: Manifest, known: Known): Checked {
  const named = new Set(manifest.machines.flatMap(({ effects }) => effects));
  const effects = (known.effects ?? []).filter(({ name }) => named.has(name));
  if (manifest.machines.length === 0 || known.effects === undefined) {
    return { effects, problems: [] };
  }
  const compiled = compileSet({
    workflow: manifest.name,
    manifestHash: contentHash(manifest.name),
    moduleVersion: "",
    topics: manifest.topics,
    machines: manifest.machines,
    effects,
  });
  if (compiled.ok) return { effects, problems: [] };
  const place = { file: source.entry, line: 1, column: 1 };
  const problems = compiled.problems.map(({ code, at, note }) =>
    problemAt(place, "machine_set", `${at}: ${note} (${code}).`),
  );
  return { effects, problems };
}
