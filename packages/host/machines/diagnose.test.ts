import { encodeCanonical } from "@holdfast/core";
import { expect, test } from "vitest";
import { diagnose } from "./diagnose.ts";
import type { RecordFields } from "./show-records.ts";
import type { TraceState } from "./trace-machines.ts";
import { Troubles } from "./troubles.ts";

const receipt = (status: string, more: RecordFields = {}): RecordFields => {
  return {
    kind: "effect_receipt",
    status,
    accepted: true,
    machine: "o/order@1",
    key: null,
    ...more,
  };
};
const of = (effect: string) => ({ effect });
const fault = { kind: "custom", name: "workflow.step_fault", code: "step.threw" };
const killed = { kind: "step_killed", reason: "SCRIPT_RUNNING_TIME" };
const refusedForRoom = { kind: "custom", name: "workflow.over_capacity", machine: "o/order@1" };

const table: readonly (readonly [RecordFields[], TraceState, string])[] = [
  [[receipt("timeout")], "completed", "adapter_timeout"],
  [[receipt("error")], "waiting_event", "adapter_error"],
  [[receipt("error", of("a")), receipt("timeout", of("b"))], "failed", "adapter_timeout"],
  [[receipt("timeout", of("a")), receipt("error", of("b"))], "failed", "adapter_timeout"],
  [[receipt("timeout"), receipt("error")], "failed", "adapter_error"],
  [[receipt("error"), fault], "failed", "adapter_error"],
  [[receipt("error"), receipt("ok")], "completed", "completed"],
  [[receipt("error", of("a")), receipt("ok", of("b"))], "completed", "adapter_error"],
  [[receipt("error"), receipt("ok", { machine: "o/other@1" })], "completed", "adapter_error"],
  [[receipt("error", { accepted: false })], "waiting_receipt", "waiting_receipt"],
  [[receipt("timeout", { accepted: null })], "completed", "completed"],
  [[receipt("error"), receipt("ok", { accepted: false })], "waiting_receipt", "adapter_error"],
  [[refusedForRoom], "waiting_event", "adapter_error"],
  [[receipt("ok"), fault], "failed", "invariant_violation"],
  [[killed], "failed", "invariant_violation"],
  [[], "failed", "unknown_failure"],
  [[fault], "waiting_receipt", "waiting_receipt"],
  [[], "waiting_event", "waiting_event"],
  [[], "unknown", "unknown"],
];

test.each(table)("[M.K7.8-5] %j, %s: %s", (records, state, cause) => {
  const troubles = new Troubles();
  for (const [at, { effect = null, ...fields }] of records.entries()) {
    troubles.add(at + 1, fields, effect as string | null);
  }
  expect(diagnose(troubles, { intents: [], instances: [] }, state).cause).toBe(cause);
});

test("[M.K7.8-5] a fault of a known cell says how that cell is restarted, as it is typed", () => {
  const nextOf = (key: string | null) => {
    const troubles = new Troubles();
    const cell = { machine: "o/order@1", key: key === null ? null : encodeCanonical(key) };
    troubles.add(7, { ...fault, ...cell }, null);
    return diagnose(troubles, { intents: [], instances: [] }, "failed").next;
  };
  expect(nextOf("a")).toContain(`machine restart o o/order@1 --cell '"a"'`);
  expect(nextOf("it's")).toContain(`--cell '"it'\\''s"'`);
  expect(nextOf(null)).toContain("machine restart o o/order@1 (");
});

test("[M.K7.8-5] a fault is named by its record and by the event that the step saw", () => {
  const troubles = new Troubles();
  troubles.add(7, { ...fault, event_hash: new Uint8Array([0xab]) }, null);
  const found = diagnose(troubles, { intents: [], instances: [] }, "failed");
  expect(found).toMatchObject({ seq: 7, eventHash: "ab", intentId: null, note: "step.threw" });
});
