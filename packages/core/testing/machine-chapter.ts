import { encodeCanonical } from "../canonical/index.ts";
import type { ActivateVersion } from "../workflow/activate-version.ts";
import { bytesOf, call, producer, type Scenario, version } from "./scenario.ts";

const actor = "ada";
const machine = "orders/order@1";
const big = bytesOf("x".repeat(600));
const intentOf = (digit: string): string => digit.repeat(64);

/** A version with machines: what comes for them, frames, and every way an intent can end. */
export function machineChapter(s: Scenario): void {
  const handlers = [producer("fresh")];
  const topics = { topics: ["orders"], observed: ["booked"], handlers };
  s.do({ ...version(4, 0, topics), machines: true, definitions: ["orders/order@1 one"] });
  s.do({ kind: "send_to_machine", machine, key: null, value: big, actor });
  s.do({ kind: "cancel_intent", intentId: intentOf("a"), actor });
  s.do({ kind: "restart_cell", machine, key: null, poison: "drop", actor });
  s.do({ kind: "snapshot_machines", actor });
  const served = [...s.view.rows("machine_inputs")].map(({ position }) => position);
  const frame = { firstSeq: 1, lastSeq: 3, body: big, snapshot: big };
  const publishes = [
    { topic: "booked", messageId: "b1", payload: bytesOf("b"), causedBy: [] },
    { topic: "nowhere", messageId: "b1", payload: bytesOf("b"), causedBy: [] },
  ];
  const rest = { refused: [], blobs: [bytesOf("blob")], parts: [], dueAt: null };
  const cells = [
    { machine, key: "61", news: "stopped", note: "it threw" },
    { machine, key: "61", news: "holds", events: [{ topic: "orders", messageId: "o1" }] },
  ] as const;
  s.do({ kind: "begin_turn" });
  s.do({ kind: "commit_frame", frame, served, publishes, cells, ...rest });
  const { kind, runId, subkey, ...toRecord } = call("r0", { verdict: s.verdict() });
  const event = { topic: "orders", messageId: "o1" };
  const named = { machine, cellKey: null, requestedKey: null, title: "Book it" };
  const origin = { ...named, older: false, event };
  const record = (digit: string) => {
    s.do({ kind: "record_intent", ...toRecord, ...origin, intentId: intentOf(digit) });
    return [...s.view.rows("mutations")].find(({ itemId }) => itemId === intentOf(digit))
      ?.mutationId as string;
  };
  const applied = record("1");
  s.do(s.sending(applied));
  s.settle(applied, { says: "applied", result: null });
  const lost = record("2");
  s.do(s.sending(lost));
  s.do({ kind: "recover_intent", mutationId: lost, incarnation: "host-9" });
  s.do({ kind: "withdraw_intent", intentId: intentOf("2"), note: "cancelled" });
  s.do({ kind: "await_executor", mutationId: record("3"), executor: "http" });
  s.do({ kind: "withdraw_intent", intentId: intentOf("3"), note: "cancelled" });
  s.do({ kind: "fail_intent", mutationId: record("4"), note: "nothing allows it" });
  const failure = { code: "permission", message: "no" };
  s.do({ kind: "refuse_intent", intentId: intentOf("5"), failure });
  s.do({ kind: "fail_machines", note: "their code is gone" });
  s.do({ kind: "resume_workflow", actor });
  proposals(s, { ...version(5, 0, topics), machines: true });
}

/** One that is rejected, and one that a deployment made and that waits for its turn. */
function proposals(s: Scenario, wanted: ActivateVersion): void {
  const changed = { ...wanted, definitions: ["orders/order@1 two"] };
  const base = s.view.load("workflows").scriptHash ?? "";
  const { kind, ...version } = changed;
  s.do({ kind: "propose_version", ...version, base, description: "louder" });
  s.do(changed);
  const report = big;
  for (const { number, body } of s.view.rows("proposals")) {
    const patchHash = body.hash;
    const says = number === 1 ? "reject" : "approve";
    s.do({ kind: "shadow_version", number, patchHash, report, actor });
    s.do({ kind: "decide_version", number, patchHash, says, reason: "seen", actor });
  }
  s.do({ kind: "apply_version", number: 2, waits: true, actor });
  const why = "governance.apply_inflight";
  s.do({ kind: "hold_apply", number: 2, why, obstacles: big, waits: true });
  const { actor: _, script, ...kept } = version;
  const body = encodeCanonical({ ...kept, script: null } as never);
  s.do({ kind: "swap_version", number: 2, body });
}
