import { invariant } from "../ports/invariant.ts";
import type { Admission, DirectInput, EventInput } from "./input.ts";
import type { Kernel } from "./kernel.ts";
import { refused } from "./refused.ts";
import { addressEvent, type Routed, routeEvent, type Target } from "./route-event.ts";
import { type Sample, type Stamp, stampRecord } from "./stamp.ts";

export function admitEvent(
  kernel: Kernel,
  input: EventInput | DirectInput,
  sample: Sample,
): Admission {
  if (input.value.length > kernel.limits.eventBytesMax) {
    return refused("event.too_large", `${input.value.length} bytes`);
  }
  const routed = route(kernel, input);
  if (!routed.ok) return routed;
  const full = routed.targets.find((target) => isFull(kernel, target));
  if (full !== undefined) return refused("mailbox.full", full.machine.name);
  const isDirect = input.kind === "direct";
  const seq = writeEvent(kernel, {
    outside: true,
    cause: null,
    topic: isDirect ? null : input.topic,
    machine: isDirect ? input.machine : null,
    messageId: isDirect ? null : input.messageId,
    ingressKey: input.key,
    value: routed.value,
    targets: routed.targets,
    depth: 0,
    from: null,
    stamp: kernel.stampNext(sample),
    older: input.older ?? false,
    root: kernel.seq + 1,
  });
  return { ok: true, seq, outcome: "taken" };
}

function route(kernel: Kernel, input: EventInput | DirectInput): Routed {
  return input.kind === "direct" ? addressEvent(kernel.set, input) : routeEvent(kernel.set, input);
}

function isFull(kernel: Kernel, { cellId }: Target): boolean {
  const cell = kernel.cells.get(cellId);
  return cell !== undefined && cell.mailbox.count >= kernel.limits.mailboxEntriesMax;
}

export type WrittenEvent = {
  readonly outside: boolean;
  readonly cause: number | null;
  readonly topic: string | null; // null = sent straight to a machine
  readonly machine: string | null;
  readonly messageId: string | null;
  readonly ingressKey: Uint8Array | null;
  readonly value: Uint8Array;
  readonly targets: readonly Target[];
  readonly depth: number;
  readonly from: { readonly machine: string; readonly key: Uint8Array | null } | null;
  readonly stamp: Stamp;
  readonly older: boolean;
  readonly root: number | null;
};

/** The key an event came with and the cells it went to are two things, and both are recorded. */
export function writeEvent(kernel: Kernel, event: WrittenEvent): number {
  const { outside, cause, stamp, targets, depth, root } = event;
  const seq = kernel.write(
    { kind: "domain_event", outside, cause },
    {
      topic: event.topic,
      machine: event.machine,
      message_id: event.messageId,
      ingress_key: event.ingressKey,
      value: event.value,
      targets: targets.map(({ machine, key }) => ({ machine: machine.name, key })),
      depth,
      from: event.from,
      stamp: stampRecord(stamp),
    },
  );
  invariant(seq === stamp.height, "an event is stamped with the number of its record");
  for (const { machine, key, cellId, value } of targets) {
    const cell = kernel.cellFor(machine.name, key, cellId);
    if (event.older) kernel.older?.mark(cell);
    kernel.deliver(cell, { value, stamp, depth, intentId: null, root });
  }
  return seq;
}
