import type { Hash } from "../canonical/index.ts";
import type { Instant } from "../view/rows.ts";
import type { JsonText } from "./script-runner.ts";

/**
 * What a metered call was answered, so that a retry need not pay for it again. No fact, never
 * folded; gone with its retry chain, and after `countedForMs` in any case.
 */
export type KeptResult = {
  /** The first run of the retry chain. */
  readonly chain: string;
  /** Which call of it; kept again under the same name, it is another answer. */
  readonly call: Hash;
  readonly at: Instant;
  /** As the script sees it; null = undefined. */
  readonly result: JsonText | null;
};

export type KeptOf = Pick<KeptResult, "chain" | "call">;

/** In bytes of its JSON. More than a model writes; what is above it is paid for again. */
export const keptResultBytesMax = 262_144;
