import {
  decodeCanonical,
  type MachineInput,
  type Need,
  type Seq,
  type Store,
  type View,
} from "@holdfast/core";
import { type Admission, type Input, type Kernel, unhex } from "@holdfast/core/machine";
import { bytesOf } from "../engine/values.ts";

/** An input that waits, read. */
export type Waiting = {
  readonly position: Seq;
  readonly input: MachineInput;
  readonly bodyBytes: number;
};

type Parts = { readonly store: Pick<Store, "loadBlob">; readonly workflow: string };

/** Of the inputs of one frame, which is one value in the store. */
const batchBytesMax = 16 * 1_048_576;

/** The oldest, as many as one frame bears and one at least. */
export async function readWaiting(
  { store, workflow }: Parts,
  view: View,
): Promise<readonly Waiting[]> {
  const rows = [...view.rows("machine_inputs")].sort((a, b) => a.position - b.position);
  let byteCount = 0;
  const beyond = rows.findIndex(({ body }, at) => {
    byteCount += body.size;
    return at > 0 && byteCount > batchBytesMax;
  });
  return Promise.all(
    rows.slice(0, beyond === -1 ? rows.length : beyond).map(async ({ position, body }) => {
      const input = decodeCanonical(await bytesOf(store, workflow, body)) as MachineInput;
      return { position, input, bodyBytes: body.size };
    }),
  );
}

/** Rows that say what the calls among them came to. */
export function needsOf(batch: readonly Waiting[]): readonly Need[] {
  return batch.flatMap(({ input }): Need[] => {
    if (input.kind !== "outcome" || input.mutationId === null) return [];
    return [{ kind: "row", table: "mutations", key: [input.mutationId] }];
  });
}

/** As many as a frame bears with what their calls came to, beside what is in it; one at least. */
export function bearable(
  batch: readonly Waiting[],
  view: Pick<View, "load">,
  takenBytes: number,
): readonly Waiting[] {
  let byteCount = takenBytes;
  const beyond = batch.findIndex(({ input, bodyBytes }, at) => {
    byteCount += bodyBytes;
    if (input.kind === "outcome" && input.mutationId !== null) {
      byteCount += view.load("mutations", input.mutationId)?.result?.size ?? 0;
    }
    return at > 0 && byteCount > batchBytesMax;
  });
  return beyond === -1 ? batch : batch.slice(0, beyond);
}

/** A version is taken between two batches, when no cell has anything to do. */
export function nextBatch(waiting: readonly Waiting[], kernel: Kernel): readonly Waiting[] {
  const at = waiting.findIndex(({ input }) => input.kind === "manifest");
  if (at === -1) return waiting;
  if (at > 0) return waiting.slice(0, at);
  return kernel.ring.size > 0 ? [] : waiting.slice(0, 1);
}

export function plainInput(
  input: Exclude<MachineInput, { kind: "manifest" | "outcome" }>,
  { older }: { readonly older: boolean },
): Exclude<Input, { kind: "manifest" | "receipt" | "frame" }> {
  switch (input.kind) {
    case "event": {
      const { topic, messageId, value } = input;
      return { kind: "event", topic, messageId, value, key: null, older };
    }
    case "direct":
      return { ...input, older };
    case "restart":
    case "snapshot":
      return input;
    case "cancel":
      return { kind: "cancel", intentHash: unhex(input.intentId), actor: input.actor };
  }
}

/** The first version is in the kernel already, and has no answer of its own. */
export function refusedOf(batch: readonly Waiting[], answers: readonly Admission[]) {
  const isFirst = batch.length > answers.length;
  const given = isFirst ? batch.slice(1) : batch;
  return given.flatMap(({ position }, at) => {
    const answer = answers[at];
    return answer === undefined || answer.ok ? [] : [{ position, code: answer.code }];
  });
}
