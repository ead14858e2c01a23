import { decodeCanonical, type EventRef, type Store } from "@holdfast/core";
import type { Admission } from "@holdfast/core/machine";
import { bytesOf } from "../engine/values.ts";
import type { Waiting } from "./batch.ts";
import { decodeFrameBody } from "./frame-body.ts";
import type { RecordFields } from "./show-records.ts";

/** The event of a topic that something came of in the end, and the inputs behind it. */
export type Origin = { readonly event: EventRef; readonly causedBy: readonly string[] };

/** Beyond this they are read again: most of what machines ask for is answered soon. */
const rememberedMax = 10_000;

type Parts = {
  readonly store: Pick<Store, "listRows" | "loadBlob" | "load">;
  readonly workflow: string;
};

type ReadFrame = { readonly firstSeq: number; readonly records: readonly Uint8Array[] };

const none: ReadFrame = { firstSeq: 0, records: [] };

/**
 * Which event a record from outside stands for. The kernel knows the record that everything came
 * of; what was just taken in is remembered, and what came before is read from its frame.
 */
export class Origins {
  readonly #parts: Parts;
  readonly #known = new Map<number, Origin | null>();
  #frame: ReadFrame = none;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** By the answers to the same inputs, in the same order. */
  remember(batch: readonly Waiting[], answers: readonly Admission[]): void {
    for (const [at, { input }] of batch.entries()) {
      const answer = answers[at];
      if (input.kind !== "event" || answer?.ok !== true) continue;
      const { topic, messageId, causedBy = [] } = input;
      this.#keep(answer.seq, { event: { topic, messageId }, causedBy });
    }
  }

  /** Records that did not become durable: others may get their numbers. */
  forget(): void {
    this.#known.clear();
    this.#frame = none;
  }

  /** Null = it came of nothing that was in a topic, or nobody knows. */
  async of(root: number | null): Promise<Origin | null> {
    const known = root === null ? null : this.#known.get(root);
    if (root === null || known !== undefined) return known ?? null;
    const event = await this.#eventAt(root);
    return this.#keep(root, event === null ? null : await this.#originOf(event));
  }

  /** The same without the inputs behind it. */
  async eventOf(root: number | null): Promise<EventRef | null> {
    const known = root === null ? null : this.#known.get(root);
    return root === null || known !== undefined ? (known?.event ?? null) : this.#eventAt(root);
  }

  #keep(root: number, origin: Origin | null): Origin | null {
    this.#known.set(root, origin);
    const [oldest] = this.#known.keys();
    if (this.#known.size > rememberedMax && oldest !== undefined) this.#known.delete(oldest);
    return origin;
  }

  async #originOf(event: EventRef): Promise<Origin | null> {
    const { store, workflow } = this.#parts;
    const key = [event.topic, event.messageId];
    const { rows } = await store.load(workflow, [{ kind: "row", table: "events", key }]);
    const [row] = rows.flatMap((each) => (each.table === "events" ? [each.row] : []));
    return row === undefined ? null : { event, causedBy: row.causedBy };
  }

  async #eventAt(root: number): Promise<EventRef | null> {
    const { firstSeq, records } = await this.#frameWith(root);
    const bytes = records[root - firstSeq];
    const fields = bytes === undefined ? {} : (decodeCanonical(bytes) as RecordFields);
    const { kind, outside, topic, message_id: messageId } = fields;
    if (kind !== "domain_event" || outside !== true) return null;
    if (typeof topic !== "string" || typeof messageId !== "string") return null;
    return { topic, messageId };
  }

  /** The last one that was read stays at hand: what waits for a cell came one after the other. */
  async #frameWith(seq: number): Promise<ReadFrame> {
    const { firstSeq, records } = this.#frame;
    if (seq >= firstSeq && seq < firstSeq + records.length) return this.#frame;
    const { store, workflow } = this.#parts;
    const query = { workflow, list: "machineFrames", of: [], downTo: null, limit: 1 } as const;
    const [row] = await store.listRows({ ...query, after: [seq + 1] });
    if (row === undefined) return none;
    const read = decodeFrameBody(await bytesOf(store, workflow, row.body));
    this.#frame = { firstSeq: row.firstSeq, records: read.records };
    return this.#frame;
  }
}
