import type { Json } from "../../words/values.ts";

/** One phase as its trace tells it. */
export type TracedPhase = {
  readonly phase: string;
  readonly at: number;
  readonly durationMs: number | null;
  readonly ended: string;
  readonly failure: { readonly code: string; readonly message: string } | null;
  readonly logs: readonly { readonly at: number; readonly text: string }[];
  readonly logsLeftOut: number;
  readonly calls: readonly TracedCall[];
  readonly callsLeftOut: number;
};

export type TracedCall = {
  readonly name: string;
  readonly params: Json;
  /** Left out = it was not answered. */
  readonly result?: Json;
  readonly durationMs: number;
};
