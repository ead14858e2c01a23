import { expect, test } from "vitest";
import { diagnose } from "./diagnose.ts";
import type { Traced, TraceState } from "./trace-machines.ts";

const receipt = (status: string) => ({ kind: "effect_receipt", status });
const fault = { kind: "custom", name: "workflow.step_fault", code: "step.threw" };
const killed = { kind: "step_killed", reason: "SCRIPT_RUNNING_TIME" };

const table: readonly (readonly [Traced["fields"][], TraceState, string])[] = [
  [[receipt("timeout")], "completed", "adapter_timeout"],
  [[receipt("error")], "waiting_event", "adapter_error"],
  [[receipt("timeout"), receipt("error")], "failed", "adapter_error"],
  [[receipt("error"), receipt("ok")], "completed", "completed"],
  [[receipt("ok"), fault], "failed", "invariant_violation"],
  [[killed], "failed", "invariant_violation"],
  [[], "failed", "unknown_failure"],
  [[fault], "waiting_receipt", "waiting_receipt"],
  [[], "waiting_event", "waiting_event"],
  [[], "unknown", "unknown"],
];

test.each(table)("[M.K7.8-5] %j, %s: %s", (records, state, cause) => {
  const traced = records.map((fields, at) => ({ seq: at + 1, fields }));
  const waits = { intents: [], instances: [], waiting: 0 };
  expect(diagnose(traced, waits, state).cause).toBe(cause);
});
