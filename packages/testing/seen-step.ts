import { type CanonicalValue, decodeCanonical } from "@holdfast/core";
import {
  findInstance,
  guestValue,
  type Kernel,
  type OpenIntent,
  type Publication,
  type Served,
} from "@holdfast/core/machine";
import type { StepKernel } from "./step-kernel.ts";

export type SeenEffect = {
  readonly effect: string;
  readonly params: unknown;
  readonly key?: string;
  readonly issuerRef?: string;
  readonly deadlineMs?: number;
};

export type SeenEmission = {
  readonly topic: string;
  readonly messageId?: string;
  readonly payload: unknown;
};

/** What one step said, as a script knows values. */
export type SeenStep = {
  /** Null = the cell has ended and is forgotten. */
  readonly state: unknown;
  readonly events: readonly SeenEmission[];
  readonly effects: readonly SeenEffect[];
  readonly done: boolean;
  readonly annotations: unknown;
  /** The code of what stopped the cell, and what was wrong; then nothing else counts. */
  readonly fault: string | null;
  readonly note: string;
};

type Named = { readonly machine: string; readonly key: Uint8Array | null };

/** After one turn of a cell. */
export async function seenStep(run: StepKernel, cell: Named, served: Served): Promise<SeenStep> {
  const { kernel } = run;
  const found = await run.drive(findInstance(kernel, cell));
  const stopped = found?.status === "failed";
  const orders = kernel.flushed(kernel.seq);
  const [note] = served.notes;
  return {
    state: stateOf(kernel, cell.machine, found?.state ?? null),
    events: orders.flatMap((order) => emissionOf(kernel, order)),
    effects: orders.flatMap((order) => effectOf(kernel, order)),
    ...stepRecord(kernel, cell.machine, served),
    fault: stopped ? (note?.code ?? "step_killed") : null,
    note: stopped ? (note?.text ?? "its time was up") : "",
  };
}

/** As a script would see it. */
export function stateOf(kernel: Kernel, name: string, bytes: Uint8Array | null): unknown {
  const machine = kernel.set.machines.get(name);
  if (bytes === null || machine === undefined) return null;
  return guestValue(machine.state.schema, machine.state.decode(bytes), kernel.set.names);
}

function emissionOf({ set }: Kernel, order: Publication): readonly SeenEmission[] {
  if (order.kind !== "event") return [];
  const { topic, messageId, value } = order.event;
  const known = set.topics.get(topic);
  const payload = guestValue(known?.schema ?? null, decodeCanonical(value), set.names);
  return [{ topic, ...(messageId === null ? {} : { messageId }), payload }];
}

function effectOf({ set, logicalNowNs }: Kernel, order: Publication): readonly SeenEffect[] {
  if (order.kind !== "start") return [];
  const { effect, params, requestedKey, issuerRef, deadlineNs }: OpenIntent = order.intent;
  const schema = set.effects.get(effect)?.params.schema ?? null;
  return [
    {
      effect,
      params: withoutNulls(guestValue(schema, decodeCanonical(params), set.names)),
      ...(requestedKey === null ? {} : { key: String(decodeCanonical(requestedKey)) }),
      ...(issuerRef === null ? {} : { issuerRef }),
      ...(deadlineNs === null
        ? {}
        : { deadlineMs: Number((deadlineNs - logicalNowNs) / 1000000n) }),
    },
  ];
}

/** Options that were left out are told as they were given. */
function withoutNulls(value: CanonicalValue): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  if (value instanceof Uint8Array || value instanceof Map) return value;
  return Object.fromEntries(Object.entries(value).filter(([, part]) => part !== null));
}

function stepRecord({ set }: Kernel, name: string, { frame }: Served) {
  const records = (frame?.records ?? []).map((bytes) => decodeCanonical(bytes));
  const step = records.find((each) => Reflect.get(Object(each), "kind") === "step");
  if (step === undefined) return { done: false, annotations: null };
  const { done, annotations } = step as { done: boolean; annotations: Uint8Array | null };
  const schema = set.machines.get(name)?.annotations?.schema ?? null;
  const said = annotations === null ? null : decodeCanonical(annotations);
  return { done, annotations: guestValue(schema, said, set.names) };
}
