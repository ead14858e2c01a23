import type { CoreCommand } from "../command.ts";
import * as c from "./command-builder.ts";
import type { Family } from "./family.ts";
import type { Scenario } from "./scenario.ts";
import { deployed, inLedgerState } from "./state-builder.ts";

/** Is the newest question still asking, or answered? The brake it set stays either way. */
const questionTable = `
               none     approval unknown  failed   after-all seen
acknowledge    noquest  noquest  noquest  noquest  answered  noquest
approve        nomut    answered notask   notask   notask    notask
resolve(skip)  nomut    asks     answered settled  settled   settled
retry_run      norun    notbad   notbad   answered asking    answered
release_brake  nobrake  nobrake  nobrake  nobrake  asking    answered
`;

/** The newest question of the scenario; a0 names none. */
function questionId(s: Scenario): string {
  let newest = "a0";
  for (const { attentionId } of s.view.rows("attentions")) newest = attentionId;
  return newest;
}

function acknowledge(s: Scenario): CoreCommand {
  return { kind: "acknowledge", attentionId: questionId(s), actor: c.actor };
}

function happenedAfterAll(): Scenario {
  const s = inLedgerState("failed");
  return s.run(c.lateAnswer(s, "applied"));
}

export const questionFamily: Family = {
  columns: {
    none: deployed,
    approval: () => inLedgerState("awaiting_approval"),
    unknown: () => inLedgerState("indeterminate"),
    failed: () => inLedgerState("failed"),
    "after-all": happenedAfterAll,
    seen: () => {
      const s = happenedAfterAll();
      return s.run(acknowledge(s));
    },
  },
  rows: {
    acknowledge: { command: acknowledge },
    approve: { command: (s) => c.approve(s) },
    "resolve(skip)": { command: (s) => c.resolve(s, { says: "skip" }) },
    retry_run: { command: (s) => c.onRun("retry_run", s) },
    release_brake: { command: () => c.releaseBrake() },
  },
  table: questionTable,
  outcome: (s) => {
    const { closedAt } = s.view.load("attentions", questionId(s));
    return closedAt === null ? "asking" : "answered";
  },
};

/** Which brakes are on afterwards: op = this operation, all = everything of the workflow. */
const brakeTable = `
                   off      op       all      op+all
set_brake(op)      op       brake    op+all   brake
set_brake(all)     all      op+all   brake    brake
release_brake(op)  nobrake  off      nobrake  all
release_brake(all) nobrake  nobrake  off      op
send               off      brake    brake    brake
late(applied)      op       op       op+all   op+all
`;

/** A call that is ready; a failed one of the same operation where the row is about the past. */
function braked(...names: string[]): (given?: "failed") => Scenario {
  return (given) => {
    const s = inLedgerState(given ?? "ready");
    for (const name of names) s.run(c.setBrake(name));
    return s;
  };
}

export const brakeFamily: Family<"failed"> = {
  columns: {
    off: braked(),
    op: braked(c.operation),
    all: braked("*"),
    "op+all": braked(c.operation, "*"),
  },
  rows: {
    "set_brake(op)": { command: () => c.setBrake() },
    "set_brake(all)": { command: () => c.setBrake("*") },
    "release_brake(op)": { command: () => c.releaseBrake() },
    "release_brake(all)": { command: () => c.releaseBrake("*") },
    send: { command: (s) => c.send(s) },
    "late(applied)": { command: (s) => c.lateAnswer(s, "applied"), given: "failed" },
  },
  table: brakeTable,
  outcome: (s) => {
    const op = s.view.find("brakes", c.operation) ? ["op"] : [];
    const all = s.view.find("brakes", "*") ? ["all"] : [];
    return [...op, ...all].join("+") || "off";
  },
};
