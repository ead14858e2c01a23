import type { Loading } from "./ask.ts";
import { canonicalize } from "./canonicalize.ts";
import { type Cell, cellIdOf, statusOf } from "./cell.ts";
import { hashBytes } from "./hash-bytes.ts";
import { hex, sameBytes } from "./hex.ts";
import type {
  Admission,
  Applied,
  CancelInput,
  ManifestInput,
  RestartInput,
  SnapshotInput,
} from "./input.ts";
import type { Kernel } from "./kernel.ts";
import type { MachineSet } from "./machine-set.ts";
import { fitCells, workUnderWay } from "./obstacles.ts";
import { statesFields } from "./out-of-line.ts";
import type { RefitState } from "./refit-state.ts";
import { type Refused, refused } from "./refused.ts";
import { type Sample, stampRecord } from "./stamp.ts";
import { loadFor } from "./state/load-cells.ts";
import { keepState } from "./state/resident-cells.ts";

/** Only recorded, and told to whoever executes: the kernel does not know what has been sent. */
export function admitCancel(kernel: Kernel, input: CancelInput, sample: Sample): Admission {
  const { intentHash, actor } = input;
  const intent = kernel.intents.get(hex(intentHash));
  if (intent === undefined) return whyNotOpen(kernel, input);
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

function whyNotOpen({ settled }: Kernel, { intentHash }: CancelInput): Refused {
  const id = hex(intentHash);
  return refused(settled.has(id) ? "intent.settled" : "intent.unknown", id);
}

export function admitRestart(kernel: Kernel, input: RestartInput, sample: Sample): Admission {
  const { machine, key, poison, actor } = input;
  const cell = kernel.cells.get(cellIdOf(machine, key));
  if (cell === undefined || cell.failed === null) return whyNotRestarted(machine, cell);
  const stamp = stampRecord(kernel.stampNext(sample));
  const seq = kernel.write(
    { kind: "restart", outside: true, cause: null },
    { machine, key, poison, actor, stamp },
  );
  // A receipt failed it otherwise, and what waits in the mailbox did nothing wrong.
  if (cell.failed === "step" && poison === "drop") cell.mailbox.dropFirst();
  cell.failed = null;
  kernel.publish({ kind: "restarted", seq, cell: { machine, key }, by: { actor, poison } });
  kernel.makeReady(cell);
  kernel.forgetEmpty(cell);
  return { ok: true, seq, outcome: "taken" };
}

function whyNotRestarted(machine: string, cell: Cell | undefined): Refused {
  if (cell === undefined) return refused("instance.unknown", machine);
  return refused("instance.not_failed", statusOf(cell));
}

/** What it would be refused with if it came now; null = it would be taken. Nothing is changed. */
export function* foreseeRefusal(
  kernel: Kernel,
  input: CancelInput | RestartInput,
): Loading<Refused | null> {
  yield* loadFor(kernel, input);
  if (input.kind === "cancel") {
    return kernel.intents.has(hex(input.intentHash)) ? null : whyNotOpen(kernel, input);
  }
  const cell = kernel.cells.get(cellIdOf(input.machine, input.key));
  return cell === undefined || cell.failed === null ? whyNotRestarted(input.machine, cell) : null;
}

/** A record of its own, so that there is a frame to keep the snapshot with. */
export function admitSnapshot(kernel: Kernel, { actor }: SnapshotInput, sample: Sample): Admission {
  const stamp = stampRecord(kernel.stampNext(sample));
  const heading = { kind: "snapshot_asked", outside: true, cause: null };
  return { ok: true, seq: kernel.write(heading, { actor, stamp }), outcome: "taken" };
}

/** Cells and settled intents outlive a version; nothing is abandoned by taking another. */
export function admitManifest(kernel: Kernel, input: ManifestInput, sample: Sample): Admission {
  const { set, applied = null } = input;
  const why =
    applied === null ? whyNotYet(kernel, set.machines) : whyNotApplied(kernel, set, applied);
  if (why !== null) return why;
  kernel.set = set;
  const stamp = stampRecord(kernel.stampNext(sample));
  const seq = kernel.write(
    { kind: "manifest", outside: true, cause: null },
    {
      manifest_hash: hashBytes(set.manifestHash),
      module_version: set.moduleVersion,
      stamp,
      ...(applied === null ? {} : appliedRecord(kernel, applied)),
    },
  );
  for (const { machine, key, state } of applied?.states ?? []) {
    keepState(kernel, kernel.cellFor(machine, key), state);
  }
  return { ok: true, seq, outcome: "taken" };
}

function appliedRecord(kernel: Kernel, { proposal, states, isApart = false }: Applied) {
  const listed = states.map(({ machine, key, state }) => ({ machine, key, state }));
  return isApart ? { proposal, ...statesFields(kernel, listed) } : { proposal, states: listed };
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

function whyNotApplied(kernel: Kernel, set: MachineSet, { states }: Applied): Refused | null {
  const [work] = workUnderWay(kernel);
  if (work !== undefined) return refused("manifest.work_under_way", `${work.why} ${work.cell}`);
  const strange = states.find((each) => !isStateOf(kernel, set, each));
  if (strange !== undefined) return refused("manifest.cells_unfit", strange.machine);
  const { unfit, refit } = fitCells(kernel, set, states);
  const [first] = unfit;
  if (first !== undefined) return refused("manifest.cells_unfit", `${first.why} ${first.cell}`);
  if (refit.length === states.length) return null;
  return refused("manifest.cells_unfit", "a state is not in the form of the version");
}

function isStateOf(kernel: Kernel, set: MachineSet, { machine, key, state }: RefitState): boolean {
  const compiled = set.machines.get(machine)?.state;
  const before = kernel.cells.get(cellIdOf(machine, key))?.state ?? null;
  if (compiled === undefined || before === null) return false;
  const fitted = canonicalize(compiled, state);
  return fitted.ok && sameBytes(fitted.bytes, state);
}
