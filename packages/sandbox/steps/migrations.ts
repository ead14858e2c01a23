/** Calls of `migrate` on their way to a thread: each is a step with nothing but a state in it. */
import { type CanonicalValue, decodeCanonical, encodeCanonical } from "@holdfast/core/canonical";
import { guestTexts, type MigrationCall } from "@holdfast/core/machine/steps";
import type { JsonText, PhaseCall, PhaseResult } from "../run/phase.ts";

type Sent = readonly [
  handler: string,
  texts: { readonly state: JsonText; readonly from: JsonText; readonly apart: JsonText },
  now: number,
  seed: string,
];

const nsPerMs = 1_000_000n;

/** `handlers`: what a machine is called in its script. */
export function encodeMigrations(
  calls: readonly MigrationCall[],
  handlers: ReadonlyMap<string, string>,
): Uint8Array {
  const sent = calls.map(({ machine, state, from, nowNs, seed }): Sent => {
    const texts = guestTexts({ state, from });
    const handler = handlers.get(machine) ?? "";
    return [handler, texts, Number(nowNs / nsPerMs), Buffer.from(seed).toString("hex")];
  });
  return encodeCanonical(sent as unknown as CanonicalValue);
}

export function decodeMigrations(bytes: Uint8Array): readonly PhaseCall[] {
  const sent = decodeCanonical(bytes) as unknown as readonly Sent[];
  return sent.map(([handler, given, now, seed]) => ({
    phase: "step",
    handler,
    given,
    connections: {},
    subscribe: [],
    publishes: [],
    mutateReads: "none",
    now,
    seed,
  }));
}

/** What it returned is the state of a step that does nothing else. */
export function asStepResult(result: PhaseResult): PhaseResult {
  if (result.kind !== "returned" || result.value === null) return result;
  return { ...result, value: `{"state":${result.value}}` };
}
