import {
  HostError,
  type JournalEntry,
  type JournalRecord,
  openRecord,
  previousHash,
  type Seq,
  type Store,
} from "@holdfast/core";

type Journal = Pick<Store, "readJournal">;

/** Null = there is no such record any more. */
export async function readRecord(
  store: Journal,
  workflow: string,
  seq: Seq,
): Promise<JournalRecord | null> {
  const [entry] = await store.readJournal(workflow, seq - 1, 1);
  return entry?.seq === seq ? openedRecord(workflow, entry) : null;
}

/** From `head` back, newest first, as far as somebody asks. */
export async function* readBack(
  store: Journal,
  workflow: string,
  head: Seq,
): AsyncIterable<JournalRecord> {
  for (let end = head; end > 0; end -= recordsPerRead) {
    const after = Math.max(0, end - recordsPerRead);
    const entries = await store.readJournal(workflow, after, end - after);
    for (const entry of entries.toReversed()) yield openedRecord(workflow, entry);
  }
}

const recordsPerRead = 200;

/** Each by itself; whether the chain holds is for verify to say. */
export function openedRecord(workflow: string, entry: JournalEntry): JournalRecord {
  const hash = previousHash(entry.bytes);
  const answer = hash === null ? null : openRecord(workflow, { seq: entry.seq - 1, hash }, entry);
  if (answer?.ok) return answer.record;
  const note = answer?.note ?? "the envelope is not one of ours";
  throw new HostError("JOURNAL_CORRUPT", {
    what: `Record ${entry.seq} of ${workflow}: ${note}.`,
    remedy: "Run holdfast verify.",
    retry: "safe",
  });
}
