import { decodeCanonical, type MachineFrameRow, type Store } from "@holdfast/core";
import { bytesOf } from "../engine/values.ts";
import { decodeFrameBody } from "./frame-body.ts";
import {
  type RecordFields,
  type Timeline,
  type TimelineEntry,
  type TimelineQuery,
  timelineEntry,
} from "./show-records.ts";
import { withNotes } from "./stop-words.ts";

type RecordParts = {
  readonly store: Pick<Store, "listRows" | "loadBlob">;
  readonly workflow: string;
};
type RecentParts = RecordParts & { readonly store: Pick<Store, "listAttentions"> };

const framesPerPage = 50;

/** The newest first; null = from the last one on. */
export async function* recordsBefore(
  { store, workflow }: RecordParts,
  before: number | null,
): AsyncGenerator<readonly [seq: number, fields: RecordFields]> {
  let after: readonly number[] | null = before === null ? null : [before];
  for (;;) {
    const query = { workflow, list: "machineFrames", of: [], after, downTo: null } as const;
    const rows: readonly MachineFrameRow[] = await store.listRows({
      ...query,
      limit: framesPerPage,
    });
    for (const frame of rows) {
      const { records } = decodeFrameBody(await bytesOf(store, workflow, frame.body));
      for (const [at, bytes] of [...records.entries()].reverse()) {
        const seq = frame.firstSeq + at;
        if (before === null || seq < before) yield [seq, decodeCanonical(bytes) as RecordFields];
      }
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < framesPerPage) return;
    after = [last.firstSeq];
  }
}

/** Records that one page looks at: a quiet cell among busy ones is not worth reading them all. */
const lookedAtMax = 20_000;

export type RecentQuery = Omit<TimelineQuery, "after"> & {
  /** Null = up to the last. */
  readonly before: number | null;
};

/** What happened to one cell, the newest first; `next` is to go on before. */
export async function recentOf(parts: RecentParts, query: RecentQuery): Promise<Timeline> {
  const found = await pageBefore(parts, query);
  if (query.before !== null) return found;
  return { ...found, items: await withNotes(parts, query, found.items) };
}

async function pageBefore(parts: RecordParts, query: RecentQuery): Promise<Timeline> {
  const items: TimelineEntry[] = [];
  let last: number | null = null;
  let lookedAt = 0;
  for await (const [seq, fields] of recordsBefore(parts, query.before)) {
    if (items.length === query.limit || lookedAt === lookedAtMax) return { items, next: last };
    last = seq;
    lookedAt++;
    const entry = timelineEntry(query, seq, fields);
    if (entry !== null) items.push(entry);
  }
  return { items, next: null };
}
