/** The records that one batch of inputs made: durable together, or not at all. */
export type Frame = {
  readonly formatVersion: 1;
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly records: readonly Uint8Array[];
};

export type Joined =
  | { readonly ok: true; readonly head: number }
  | { readonly ok: false; readonly code: "frame.gap" | "frame.overlap" | "frame.malformed" };

/** The head of a journal after one more frame; a frame fits only directly behind the last one. */
export function joinFrame(head: number, frame: Frame): Joined {
  const { formatVersion, firstSeq, lastSeq, records } = frame;
  if (formatVersion !== 1 || records.length === 0 || lastSeq - firstSeq + 1 !== records.length) {
    return { ok: false, code: "frame.malformed" };
  }
  if (firstSeq > head + 1) return { ok: false, code: "frame.gap" };
  if (firstSeq <= head) return { ok: false, code: "frame.overlap" };
  return { ok: true, head: lastSeq };
}
