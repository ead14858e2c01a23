import type {
  CellNews,
  CommandKind,
  CoreCommand,
  EventRef,
  RecordMutation,
  View,
} from "@holdfast/core";
import { encodeCanonical, openIntentRuns } from "@holdfast/core";
import type { Choice } from "./random-command.ts";

type Situation = { readonly view: View; readonly choice: Choice };
type MachineKind = Extract<
  CommandKind,
  | "send_to_machine"
  | "cancel_intent"
  | "restart_cell"
  | "snapshot_machines"
  | "begin_turn"
  | "commit_frame"
  | "fail_machines"
  | "record_intent"
  | "refuse_intent"
  | "withdraw_intent"
  | "fail_intent"
  | "await_executor"
  | "recover_intent"
>;

const actor = "ann";
const machine = "orders/order@1";

function someIntent({ view, choice }: Situation): string {
  const open = openIntentRuns(view);
  return open[choice.a % Math.max(open.length, 1)]?.itemId ?? "f".repeat(64);
}

function someCall({ view, choice }: Situation): string {
  const open = openIntentRuns(view);
  return open[choice.a % Math.max(open.length, 1)]?.mutationId ?? "m0";
}

function cellNews({ a, b }: Choice): CellNews[] {
  const cell = { machine, key: a % 3 === 0 ? null : (b % 3).toString(16) };
  const stopped = { ...cell, news: "stopped", note: "it threw" } as const;
  const restarted = { ...cell, news: "restarted", actor, answer: "drop" } as const;
  const events = [someEvent(a), someEvent(b), someEvent(b)];
  const holds = { ...cell, news: "holds", events } as const;
  const first = b % 3 === 0 ? [restarted, stopped] : [b % 2 === 0 ? restarted : stopped];
  return a % 2 === 0 ? [...first, holds] : first;
}

function someEvent(choice: number): EventRef {
  return { topic: "orders", messageId: `e${choice % 9}` };
}

/** Serves what it can see of the inputs; what would be in the frame is no matter here. */
function frameCommand({ view, choice }: Situation): CoreCommand {
  const machineSeq = view.find("workflows")?.machineSeq ?? 0;
  const waiting = [...view.rows("machine_inputs")].sort((a, b) => a.position - b.position);
  const served = waiting.slice(0, choice.a % 4).map(({ position }) => position);
  const count = choice.b % 3;
  const body = encodeCanonical("x".repeat(choice.b % 2 === 0 ? 3 : 600));
  const firstSeq = machineSeq + (choice.a % 11 === 0 ? 2 : 1);
  // Of an old form, which is passed over: its parts would have to be there.
  const snapshot = choice.a % 5 === 0 ? encodeCanonical({ format: 1, body }) : null;
  const frame = { firstSeq, lastSeq: firstSeq + count, body, snapshot };
  const topic = choice.a % 2 === 0 ? "orders" : "nowhere";
  const older = choice.a % 3 === 0;
  const said = { topic, messageId: `e${choice.b % 9}`, payload: body };
  const publishes = [{ ...said, older, causedBy: [] }];
  return {
    kind: "commit_frame",
    frame: choice.b % 4 === 0 ? null : frame,
    served,
    refused: [],
    publishes: choice.b % 5 === 0 ? publishes : [],
    cells: choice.a % 7 === 0 ? cellNews(choice) : [],
    blobs: [],
    parts: [],
    // No mark is made twice.
    older: { added: older ? [`cell ${view.head.seq}`] : [], removed: [] },
    dueAt: choice.a % 3 === 0 ? (view.head.at ?? 0) + choice.b : null,
  };
}

/** Commands about machines, as a property test chooses them. */
export function machineMakers<S extends Situation>(
  callOf: (situation: S) => RecordMutation,
): { readonly [K in MachineKind]: (situation: S) => CoreCommand } {
  const hex = (choice: Choice) => (choice.a % 16).toString(16).repeat(64);
  return {
    send_to_machine: ({ choice }) => {
      const value = encodeCanonical("v".repeat(choice.a % 700));
      return { kind: "send_to_machine", machine, key: null, value, actor };
    },
    cancel_intent: (situation) => {
      return { kind: "cancel_intent", intentId: someIntent(situation), actor };
    },
    snapshot_machines: () => ({ kind: "snapshot_machines", actor }),
    restart_cell: () => ({ kind: "restart_cell", machine, key: null, poison: "drop", actor }),
    begin_turn: () => ({ kind: "begin_turn" }),
    commit_frame: frameCommand,
    fail_machines: () => ({ kind: "fail_machines", note: "their code is gone" }),
    record_intent: (situation) => {
      const { kind, runId, subkey, ...call } = callOf(situation);
      const { view, choice } = situation;
      // One that was recorded is in its frame, and no other frame has it.
      const intentId = view.head.seq.toString(16).padStart(64, "0");
      const requestedKey = choice.b % 3 === 0 ? `k${choice.a % 4}` : null;
      const event = choice.a % 3 === 0 ? {} : { event: someEvent(choice.b) };
      const origin = { intentId, machine, cellKey: null, requestedKey, title: "a call" };
      const older = choice.a % 5 === 0;
      return { kind: "record_intent", ...call, ...origin, ...event, older };
    },
    refuse_intent: ({ choice }) => {
      const failure = { code: "denied", message: "no" };
      return { kind: "refuse_intent", intentId: hex(choice), failure };
    },
    withdraw_intent: (situation) => {
      return { kind: "withdraw_intent", intentId: someIntent(situation), note: "cancelled" };
    },
    await_executor: (situation) => {
      return { kind: "await_executor", mutationId: someCall(situation), executor: "http" };
    },
    fail_intent: (situation) => {
      return { kind: "fail_intent", mutationId: someCall(situation), note: "denied" };
    },
    recover_intent: (situation) => {
      const incarnation = `host${situation.choice.b % 3}`;
      return { kind: "recover_intent", mutationId: someCall(situation), incarnation };
    },
  };
}
