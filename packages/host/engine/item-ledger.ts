import {
  decodeCanonical,
  itemKeysOf,
  type JsonText,
  type MutationRow,
  pinPayload,
  type RunFailure,
  type TerminalCall,
} from "@holdfast/core";
import type { Outcome } from "./outcome.ts";
import { differingPaths } from "./payload-difference.ts";
import type { StepParts } from "./phase-steps.ts";
import type { DescribedCall, PayloadComparison } from "./ports.ts";
import { describeCall, recordedOutcome, recordOf } from "./record-call.ts";
import { bytesOf, jsonOf } from "./values.ts";

type Item = { readonly itemId: string; readonly attempt: number; readonly isDone: boolean };

/** What becomes of a call that the handler of an item makes. */
type Asked =
  | { readonly kind: "result"; readonly result: JsonText | null }
  | { readonly kind: "failure"; readonly failure: RunFailure }
  | { readonly kind: "persist"; readonly outcome: Outcome; readonly mutationKey: string };

/**
 * The mutations of one item in its current attempt, as its handler meets them again: what was
 * applied is answered from here, and nothing is sent that stands here.
 */
export class ItemLedger {
  readonly item: Item;
  readonly #parts: StepParts;
  /** By key; failed ones are not in it. */
  readonly #known = new Map<string, MutationRow>();
  /** Keys that this execution of the handler has used. */
  readonly #used = new Set<string>();

  constructor(parts: StepParts, item: Item) {
    this.#parts = parts;
    this.item = item;
    for (const row of parts.view.rows("mutations")) {
      const isOwn = row.itemId === item.itemId && row.attempt === item.attempt;
      if (isOwn && row.state !== "failed") this.#known.set(row.mutationKey, row);
    }
  }

  /** `alone` is the change that the call is to be part of, without it. */
  async ask(name: string, params: JsonText, alone: Outcome): Promise<Asked> {
    if (this.item.isDone) {
      const why = `${name} is called for ${this.item.itemId}, which is done; see ctx.item.isDone`;
      return failing(`item_is_done: ${why}`);
    }
    const read = readCall(name, params);
    if ("fault" in read) return failing(read.fault);
    const { call, subkey } = read;
    const described = describeCall(this.#parts.outside, call);
    if ("class" in described) return { kind: "failure", failure: described };
    const { operation } = call;
    const keyed = { ...described, operation, subkey };
    const { mutationKey } = itemKeysOf(this.#parts.view.workflow, this.item, keyed);
    if (this.#used.has(mutationKey)) {
      const why = `${name} is called twice alike in ${this.item.itemId}: give each a subkey`;
      return failing(`subkey_missing: ${why}`);
    }
    this.#used.add(mutationKey);
    const known = this.#known.get(mutationKey);
    if (known === undefined) return this.#record(call, described, { subkey, mutationKey, alone });
    if (known.state === "applied") return this.#again(known, described, alone);
    return failing(`mutation ${known.mutationId} of this item is ${known.state}`);
  }

  /** What was just applied, for the rest of the handler. */
  async keep(row: MutationRow): Promise<JsonText | null> {
    this.#known.set(row.mutationKey, row);
    return this.#resultOf(row);
  }

  /** Of a call that was applied before; null = there is none. */
  cachedResult(mutationKey: string): Promise<JsonText | null> | null {
    const row = this.#known.get(mutationKey);
    return row?.state === "applied" ? this.#resultOf(row) : null;
  }

  async #resultOf({ result }: MutationRow): Promise<JsonText | null> {
    const { store, view } = this.#parts;
    return (await jsonOf(store, view.workflow, result)) ?? null;
  }

  async #record(
    call: TerminalCall,
    described: DescribedCall,
    of: { readonly subkey: string | null; readonly mutationKey: string; readonly alone: Outcome },
  ): Promise<Asked> {
    const { alone, subkey, mutationKey } = of;
    const { now } = alone;
    const { runId, sender } = this.#parts;
    const judged = await recordOf({ ...this.#parts, now }, call, described);
    const command = judged.kind === "record_mutation" ? { ...judged, subkey } : judged;
    const outcome = recordedOutcome({ runId, sender, now }, command, alone);
    return { kind: "persist", outcome, mutationKey };
  }

  /** The same change with other bytes is never made: they are compared. */
  async #again(known: MutationRow, { payload }: DescribedCall, alone: Outcome): Promise<Asked> {
    const { mutationKey, mutationId, acceptedHash, payloadHash } = known;
    const { hash } = pinPayload(payload).payload;
    const isSame = hash === payloadHash || hash === acceptedHash;
    if (isSame) return { kind: "result", result: await this.#resultOf(known) };
    const { store, view, runId } = this.#parts;
    const before = await bytesOf(store, view.workflow, known.payload);
    const says = this.#compare(known, { before, after: payload });
    if (says === "equivalent") return { kind: "result", result: await this.#resultOf(known) };
    const paths = differingPaths(decodeCanonical(before), decodeCanonical(payload));
    const note = `${paths.join(", ")} ${paths.length === 1 ? "differs" : "differ"}`;
    const compare = { kind: "compare_payload", runId, mutationId, payload, says, note } as const;
    return { kind: "persist", mutationKey, outcome: { ...alone, commands: [compare] } };
  }

  /** A comparison that throws, or says something else, has said nothing. */
  #compare(
    { connection, operation }: MutationRow,
    payloads: { readonly before: Uint8Array; readonly after: Uint8Array },
  ): PayloadComparison {
    try {
      const says = this.#parts.outside.compare?.({ connection, operation }, payloads);
      return says === "equivalent" || says === "minor" ? says : "significant";
    } catch {
      return "significant";
    }
  }
}

function failing(message: string): Asked {
  return { kind: "failure", failure: { class: "logic", message, location: "" } };
}

type ReadCall =
  | { readonly call: TerminalCall; readonly subkey: string | null }
  | { readonly fault: string };

/** `subkey` is the host's: it is no parameter of the operation, and never sent. */
function readCall(name: string, params: JsonText): ReadCall {
  const dot = name.indexOf(".");
  const [connection, operation] = [name.slice(0, dot), name.slice(dot + 1)];
  const given: unknown = JSON.parse(params);
  const isRecord = typeof given === "object" && given !== null && !Array.isArray(given);
  if (!isRecord || !Object.hasOwn(given, "subkey")) {
    return { call: { connection, operation, params }, subkey: null };
  }
  const { subkey, ...rest } = given as Record<string, unknown>;
  if (typeof subkey !== "string" || subkey === "") {
    return { fault: `the subkey of ${name} has to be a text` };
  }
  return { call: { connection, operation, params: JSON.stringify(rest) }, subkey };
}
