import { describe, expect, test } from "vitest";
import { contentHash } from "../canonical/index.ts";
import type { MutationRow } from "../view/rows.ts";
import * as c from "./command-builder.ts";
import type { Scenario } from "./scenario.ts";
import {
  deployed,
  inLedgerState,
  type LedgerColumn,
  prepared,
  preparing,
} from "./state-builder.ts";

/** The call a run with these events records. */
function callFor(messageIds: readonly string[], options: c.CallOptions = {}): MutationRow {
  const s = preparing();
  s.run(c.finishPrepare(s, ...messageIds));
  return s.run(c.recordMutation(s, options)).mutationRow();
}

/** The first call failed for good; a new run prepares afresh and calls again. */
function afterFailure(s: Scenario, options: c.CallOptions): MutationRow {
  s.run(c.onRun("retry_run", s)).run(c.onRun("start_retry", s));
  s.run(c.finishPrepare(s, "e1"));
  return s.run(c.recordMutation(s, options)).mutationRow();
}

function guardsOf(s: Scenario): string[] {
  return [...s.view.rows("mutation_inputs")].map(
    ({ consumer, topic, messageId, attempt }) => `${consumer} ${topic}/${messageId}@${attempt}`,
  );
}

describe("the mutation key", () => {
  test("[R76] leaves the payload out and takes in what says which change it is", () => {
    const { mutationKey } = callFor(["e1"]);
    expect(callFor(["e1"], { payload: c.textBytes("three") }).mutationKey).toBe(mutationKey);
    expect(callFor(["e1"], { connectorVersion: "2" }).mutationKey).toBe(mutationKey);
    const other: c.CallOptions[] = [
      { identity: c.textBytes("order 2") },
      { target: "u" },
      { operation: "cancel" },
      { connector: "bank" },
    ];
    for (const options of other) expect(callFor(["e1"], options).mutationKey).not.toBe(mutationKey);
  });

  test("[R76] belongs to the reserved events, however they were published and named", () => {
    const both = callFor(["e1", "e2"]);
    const keys = { scopeId: both.scopeId, mutationKey: both.mutationKey };
    expect(callFor(["e2", "e1"])).toMatchObject(keys);
    const s = deployed().run(c.publishEvent("e2")).run(c.publishEvent("e1"));
    s.run(c.startRun(s)).run(c.finishPrepare(s, "e2", "e1"));
    expect(s.run(c.recordMutation(s)).mutationRow()).toMatchObject(keys);
    expect(callFor(["e1"]).scopeId).not.toBe(both.scopeId);
    expect(callFor(["e2"]).scopeId).not.toBe(callFor(["e1"]).scopeId);
  });

  test("[R76] guards across runs: a new run for the same events has the same key", () => {
    const s = inLedgerState("failed");
    const first = s.mutationRow();
    const second = afterFailure(s, {});
    expect(second.runId).not.toBe(first.runId);
    expect(second.mutationKey).toBe(first.mutationKey);
  });

  test("[R81] is another one at a new attempt", () => {
    const s = inLedgerState("applied");
    const first = s.mutationRow();
    s.run(c.commitRun(s)).run(c.onEvent("reprocess_event", "e1"));
    s.run(c.startRun(s));
    s.run(c.finishPrepare(s, "e1"));
    const second = s.run(c.recordMutation(s)).mutationRow();
    expect([first.attempt, second.attempt]).toEqual([1, 2]);
    expect(second.mutationKey).not.toBe(first.mutationKey);
    expect(second.providerKey).not.toBe(first.providerKey);
  });
});

describe("the provider key", () => {
  test("[R75] is in the ledger before anything is sent, made of mutation key and bytes", () => {
    const { state, sendCount, providerKey, mutationKey, payloadHash } = callFor(["e1"]);
    expect({ state, sendCount }).toEqual({ state: "ready", sendCount: 0 });
    expect(providerKey).toBe(contentHash([mutationKey, payloadHash]));
  });

  test("[R75] stays the same when the same bytes are sent again", () => {
    const s = inLedgerState("needs_reconcile", { retentionMs: c.dayMs });
    const first = s.mutationRow();
    const again = s.run(c.send(s, "resend_mutation")).mutationRow();
    expect(again.sendCount).toBe(2);
    expect(again.providerKey).toBe(first.providerKey);
    expect(again.payload).toEqual(first.payload);
  });

  test("[R75] is equal for the equal bytes of a new run, and new for a changed payload", () => {
    const s = inLedgerState("failed");
    const first = s.mutationRow();
    expect(afterFailure(s, {}).providerKey).toBe(first.providerKey);

    const t = inLedgerState("failed");
    const changed = afterFailure(t, { payload: c.textBytes("order 1, three pieces") });
    expect(changed.mutationKey).toBe(first.mutationKey);
    expect(changed.providerKey).not.toBe(first.providerKey);
  });
});

describe("the guard rows", () => {
  const guarded: readonly LedgerColumn[] = [
    "ready",
    "in_flight",
    "needs_reconcile",
    "indeterminate",
    "applied",
    "indeterminate+skip",
  ];

  test.each(guarded)("[R156] stand behind a mutation that is %s", (state) => {
    expect(guardsOf(inLedgerState(state))).toEqual(["book orders/e1@1"]);
  });

  test.each(["awaiting_approval", "failed"] as const)(
    "[R156] do not stand behind a mutation that is %s",
    (state) => {
      expect(guardsOf(inLedgerState(state))).toEqual([]);
    },
  );

  test("[R156] come with the approval and outlive the run", () => {
    const s = inLedgerState("ready", { asked: true });
    expect(guardsOf(s)).toEqual(["book orders/e1@1"]);
    s.run(c.send(s)).run(c.settleApplied(s)).run(c.commitRun(s));
    expect(guardsOf(s)).toEqual(["book orders/e1@1"]);
  });
});

test("[R91] an approval of other bytes, or of another preview, approves nothing", () => {
  const s = prepared();
  s.run(c.recordMutation(s, { ask: c.askFor(s) }));
  const { mutationId, payloadHash } = s.mutationRow();
  const approval = { kind: "approve_mutation", mutationId, actor: c.actor } as const;
  const otherPreview = { ...approval, payloadHash, previewHash: "another" };
  expect(s.refusalOf(otherPreview)).toBe("payload_differs");
  expect(s.refusalOf(c.approve(s, "sha256:other"))).toBe("payload_differs");
  expect(s.run(c.approve(s)).mutationRow().approval).toMatchObject({
    payloadHash,
    previewHash: c.previewHash,
    actor: c.actor,
    approvedAt: s.now,
  });
});
