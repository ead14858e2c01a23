import type { JsonValue } from "../queries/answers.ts";
import type { ValueChange } from "../queries/diff-values.ts";
import type { ObstacleList } from "./obstacle-list.ts";

/** What came of trying a proposal, as it is kept with it and shown. */
export type ShadowReport = {
  readonly number: number;
  /** Of what was tried. */
  readonly patchHash: string;
  readonly manifestHash: string;
  readonly effects: readonly {
    readonly effect: string;
    readonly intentId: string;
    readonly cell: string;
    readonly params: JsonValue;
    /** What it was answered with; null = with nothing. */
    readonly answered: string | null;
  }[];
  /** What would be open at the end. */
  readonly pending: readonly {
    readonly cell: string;
    readonly intentId: string;
    readonly effect: string;
    readonly since: number;
  }[];
  readonly instances: readonly {
    readonly cell: string;
    readonly status: string;
    readonly lastEvent: number;
    readonly version: string;
    readonly openIntents: number;
  }[];
  /** What each machine of the proposal may ask for, in order. */
  readonly allowlists: readonly { readonly machine: string; readonly effects: readonly string[] }[];
  /** Cells that end otherwise than under the active version, and in what. */
  readonly deltas: readonly {
    readonly cell: string;
    /** Under the active version; null = it is not there. */
    readonly before: CellEnd | null;
    readonly after: CellEnd | null;
    readonly changes: readonly ValueChange[];
  }[];
  readonly faults: readonly { readonly cell: string; readonly code: string }[];
  /** What stands in the way of applying it now. */
  readonly obstacles: ObstacleList;
  readonly horizon: {
    /** The record of the machines' journal it was forked after, and the last one there is. */
    readonly forkedAt: number;
    readonly head: number;
    /** Those that a machine took. */
    readonly inputs: number;
    /** The others, and answers that were refused, each with why. */
    readonly inputsRefused: readonly string[];
    /** Effects that were answered, each with the status they were given. */
    readonly canned: readonly string[];
    /** Effects that were asked for and got no answer: what follows from one was not run. */
    readonly unanswered: readonly string[];
    /** Whether a version did not come to rest, and was broken off. */
    readonly isEndless: boolean;
    /** Lists that are longer than what is kept of them. */
    readonly shortened: readonly string[];
    readonly claim: string;
  };
};

export type CellEnd = {
  readonly status: string;
  readonly stateHash: string | null;
  readonly state: JsonValue;
};
