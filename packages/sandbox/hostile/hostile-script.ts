import type { PhaseCall, ScriptPhase } from "../run/phase.ts";

/** A script that means harm, and what has to become of it. */
export type HostileScript = {
  /** One sentence; the name of the script. */
  readonly tries: string;
  readonly phase: ScriptPhase;
  readonly code: string;
  /** As `verdictOf` says it: a code, "load" with a code, or what it returned. */
  readonly expect: string;
  readonly call: Partial<PhaseCall>;
};

type Common = {
  readonly tries: string;
  readonly expect: string;
  readonly phase?: ScriptPhase;
  readonly call?: Partial<PhaseCall>;
};

/** Either the body of one handler, with what stands before the definition, or all of it. */
export type Sketch = Common &
  (
    | { readonly body: string; readonly top?: string }
    | { readonly whole: string }
    | { readonly definition: string; readonly top?: string }
  );

/** What must never be reached logs and calls with this word. */
export const forbiddenWord = "AFTER";

const reach = `console.log("${forbiddenWord}"); ctx.shop.list("${forbiddenWord}");`;

export function hostile(sketches: readonly Sketch[]): readonly HostileScript[] {
  return sketches.map((sketch) => {
    const { tries, expect, phase = "prepare", call = {} } = sketch;
    return { tries, expect, phase, call, code: codeOf(sketch, phase) };
  });
}

function codeOf(sketch: Sketch, phase: ScriptPhase): string {
  if ("whole" in sketch) return sketch.whole;
  const { top = "" } = sketch;
  const definition = "definition" in sketch ? sketch.definition : declare(phase, sketch.body);
  return `"use strict";\n${top}\nvar made = ${definition};\nmade`;
}

/** `after()` is what a script calls where it must not come to. */
function declare(phase: ScriptPhase, body: string): string {
  if (phase === "step") {
    return `Keep.workflow({ name: "w", topics: {}, machines: { c: {
      step(state, event) {\n${body}\n} } } })`;
  }
  const [group, member] = groups[phase];
  return `Keep.workflow({ name: "w", topics: { t: {} }, ${group}: { c: { subscribe: ["t"],
    async ${member}(ctx, given, result) {
      const after = () => { ${reach} };
      ${body}
    } } } })`;
}

const groups: Readonly<Record<Exclude<ScriptPhase, "step">, readonly [string, string]>> = {
  producer: ["producers", "handler"],
  prepare: ["consumers", "prepare"],
  mutate: ["consumers", "mutate"],
  next: ["consumers", "next"],
  job: ["jobs", "handler"],
};
