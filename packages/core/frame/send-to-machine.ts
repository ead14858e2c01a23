import { type Rule, refuse } from "../journal/decision.ts";
import { admitId, admitSize } from "../policy/admit.ts";
import { receiveInput } from "./machine-input.ts";
import { whyNoMachines } from "./why-no-machines.ts";

export type SendToMachine = {
  readonly kind: "send_to_machine";
  /** `<workflow>/<machine>@<n>`. */
  readonly machine: string;
  /** Canonical bytes; null = the machine has one cell. */
  readonly key: Uint8Array | null;
  /** Canonical bytes of an event in the machine's own schema. */
  readonly value: Uint8Array;
  readonly actor: string;
};

/** An event for one cell. The kernel judges it when it is served; here it becomes durable. */
export const sendToMachine: Rule<SendToMachine> = (draft, { machine, key, value }) => {
  const { policy } = draft.view;
  const bad =
    whyNoMachines(draft.view) ??
    admitId(policy, "machine", machine) ??
    admitSize("event in bytes", value.length, policy.payloadBytesMax) ??
    admitSize("key in bytes", key?.length ?? 0, policy.payloadBytesMax);
  if (bad) return bad;
  receiveInput(draft, { kind: "direct", machine, key, value });
  return null;
};

export type CancelIntent = {
  readonly kind: "cancel_intent";
  readonly intentId: string;
  readonly actor: string;
};

/** A wish: what is unsent is withdrawn, what was sent is settled by its outcome. */
export const cancelIntent: Rule<CancelIntent> = (draft, { intentId, actor }) => {
  const bad = whyNoMachines(draft.view);
  if (bad) return bad;
  if (!/^[0-9a-f]{64}$/.test(intentId)) {
    return refuse("command_malformed", "An intent is named by 64 hexadecimal digits.");
  }
  receiveInput(draft, { kind: "cancel", intentId, actor });
  return null;
};

export type RestartCell = {
  readonly kind: "restart_cell";
  readonly machine: string;
  readonly key: Uint8Array | null;
  /** What becomes of the event it failed on. */
  readonly poison: "redeliver" | "drop";
  readonly actor: string;
};

/** A person lets a failed instance go on. */
export const restartCell: Rule<RestartCell> = (draft, { machine, key, poison, actor }) => {
  const bad = whyNoMachines(draft.view) ?? admitId(draft.view.policy, "machine", machine);
  if (bad) return bad;
  receiveInput(draft, { kind: "restart", machine, key, poison, actor });
  return null;
};

export type SnapshotMachines = { readonly kind: "snapshot_machines"; readonly actor: string };

/** A snapshot now, of what there is when its turn comes, with whatever is open. */
export const snapshotMachines: Rule<SnapshotMachines> = (draft, { actor }) => {
  const bad = whyNoMachines(draft.view);
  if (bad) return bad;
  receiveInput(draft, { kind: "snapshot", actor });
  return null;
};
