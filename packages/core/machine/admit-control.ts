import { cellIdOf, statusOf } from "./cell.ts";
import { hashBytes } from "./hash-bytes.ts";
import { hex } from "./hex.ts";
import type { Admission, CancelInput, ManifestInput, RestartInput } from "./input.ts";
import type { Kernel } from "./kernel.ts";
import { type Refused, refused } from "./refused.ts";
import { type Sample, stampRecord } from "./stamp.ts";

/** Only recorded, and told to whoever executes: the kernel does not know what has been sent. */
export function admitCancel(kernel: Kernel, input: CancelInput, sample: Sample): Admission {
  const { intentHash, actor } = input;
  const id = hex(intentHash);
  const intent = kernel.intents.get(id);
  if (intent === undefined) {
    return refused(kernel.settled.has(id) ? "intent.settled" : "intent.unknown", id);
  }
  const { machine, key } = intent;
  const stamp = stampRecord(kernel.stampNext(sample));
  const seq = kernel.write(
    { kind: "cancel", outside: true, cause: null },
    { intent_hash: intentHash, machine, key, actor, stamp },
  );
  intent.cancelAsked = true;
  kernel.publish({ kind: "cancel", seq, intentHash });
  return { ok: true, seq, outcome: "taken" };
}

export function admitRestart(kernel: Kernel, input: RestartInput, sample: Sample): Admission {
  const { machine, key, poison, actor } = input;
  const cell = kernel.cells.get(cellIdOf(machine, key));
  if (cell === undefined) return refused("instance.unknown", machine);
  if (cell.failed === null) return refused("instance.not_failed", statusOf(cell));
  const stamp = stampRecord(kernel.stampNext(sample));
  const seq = kernel.write(
    { kind: "restart", outside: true, cause: null },
    { machine, key, poison, actor, stamp },
  );
  // A receipt failed it otherwise, and what waits in the mailbox did nothing wrong.
  if (cell.failed === "step" && poison === "drop") cell.mailbox.dropFirst();
  cell.failed = null;
  kernel.makeReady(cell);
  kernel.forgetEmpty(cell);
  return { ok: true, seq, outcome: "taken" };
}

/** Cells and settled intents outlive a version; nothing is abandoned by taking another. */
export function admitManifest(kernel: Kernel, { set }: ManifestInput, sample: Sample): Admission {
  const why = whyNotYet(kernel, set.machines);
  if (why !== null) return why;
  kernel.set = set;
  const stamp = stampRecord(kernel.stampNext(sample));
  const seq = kernel.write(
    { kind: "manifest", outside: true, cause: null },
    { manifest_hash: hashBytes(set.manifestHash), module_version: set.moduleVersion, stamp },
  );
  return { ok: true, seq, outcome: "taken" };
}

function whyNotYet(kernel: Kernel, machines: ReadonlyMap<string, unknown>): Refused | null {
  if (kernel.ring.size > 0) return refused("manifest.ready_cells", `${kernel.ring.size} cells`);
  for (const cell of kernel.cells.values()) {
    const isIdle = cell.open.size === 0 && cell.mailbox.count === 0 && cell.failed === null;
    if (!isIdle && !machines.has(cell.machine)) {
      return refused("manifest.machine_gone", cell.id);
    }
  }
  return null;
}
