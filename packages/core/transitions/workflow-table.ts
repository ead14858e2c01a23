import type { CoreCommand } from "../command.ts";
import * as c from "./command-builder.ts";
import type { Family, Row } from "./family.ts";
import type { Scenario } from "./scenario.ts";
import { inWorkflowStatus, type WorkflowColumn } from "./state-builder.ts";

/**
 * Workflow status afterwards, +e with an error on it, * = a run was started. `none`: not created;
 * `error`: two crashes in a row, its run is still open; `pau+e`: the same, paused by a person.
 */
const table = `
                    none      active    paused    archived  error     pau+e
create_workflow     active    exists    exists    exists    exists    exists
activate(newer)     absent    active    paused    isarc     active+e  paused+e
activate(same)      absent    notnew    notnew    isarc     notnew    notnew
activate(older)     absent    notnew    notnew    isarc     notnew    notnew
pause_workflow      absent    paused    ispau     isarc     paused+e  ispau
resume_workflow     absent    isact     active    isarc     active    active
archive_workflow    absent    archived  archived  isarc     busy      busy
restore_workflow    absent    isact     ispau     paused    isact     ispau
start_run           absent    active*   halted    halted    haserr    halted
start_run(producer) absent    active*   halted    halted    haserr    halted
start_run(unknown)  absent    nohand    halted    halted    haserr    halted
start_retry         norun     norun     norun     norun     haserr    halted
recover_run         norun     norun     norun     norun     notact    notact
run_now             absent    active    halted    halted    haserr    halted
send                nomut     active    halted    settled   nomut     nomut
publish_event       absent    active    paused    archived  active+e  paused+e
skip_event          noev      active    paused    archived  active+e  paused+e
skip_input          noinp     active    paused    archived  active+e  paused+e
reprocess_event     noev      evpend    evpend    evpend    evpend    evpend
reset_topic         notop     active    paused    archived  active+e  paused+e
reset_producer      nohand    active    paused    archived  active+e  paused+e
skip_firing         nohand    active    paused    archived  active+e  paused+e
set_brake           absent    active    paused    archived  active+e  paused+e
release_brake       nobrake   nobrake   nobrake   nobrake   nobrake   nobrake
acknowledge         noquest   noquest   noquest   noquest   noquest   noquest
take_checkpoint     absent    active    paused    archived  active+e  paused+e
`;

type Options = { readonly withCall: boolean };

/** The producer's firing that is due since the deploy. */
function skipFiring(s: Scenario): CoreCommand {
  const dueAt = s.view.find("handlers", "poll")?.nextRunAt ?? s.now;
  return { kind: "skip_firing", handler: "poll", dueAt, nextRunAt: s.now + c.hourMs };
}

const { actor } = c;

const rows: Readonly<Record<string, Row<Options>>> = {
  create_workflow: { command: () => ({ kind: "create_workflow", name: "w" }) },
  "activate(newer)": { command: () => c.version(1, 1) },
  "activate(same)": { command: () => c.version(1, 0) },
  "activate(older)": { command: () => c.version(0, 9) },
  pause_workflow: { command: () => c.onWorkflow("pause_workflow") },
  resume_workflow: { command: () => c.onWorkflow("resume_workflow") },
  archive_workflow: { command: () => c.onWorkflow("archive_workflow") },
  restore_workflow: { command: () => c.onWorkflow("restore_workflow") },
  start_run: { command: (s) => c.startRun(s) },
  "start_run(producer)": { command: (s) => c.startRun(s, "poll") },
  "start_run(unknown)": { command: (s) => c.startRun(s, "nobody") },
  start_retry: { command: (s) => c.onRun("start_retry", s) },
  recover_run: { command: () => c.recoverRun("host-7") },
  run_now: { command: () => c.onWorkflow("run_now") },
  send: { command: (s) => c.send(s), given: { withCall: true } },
  publish_event: { command: () => c.publishEvent("e9") },
  skip_event: { command: () => c.onEvent("skip_event", "e1") },
  skip_input: { command: () => c.onInput("skip_input", "e1") },
  reprocess_event: { command: () => c.onEvent("reprocess_event", "e1") },
  reset_topic: { command: () => ({ kind: "reset_topic", topic: "orders", actor }) },
  reset_producer: { command: () => ({ kind: "reset_producer", handler: "poll", actor }) },
  skip_firing: { command: skipFiring },
  set_brake: { command: () => c.setBrake() },
  release_brake: { command: () => c.releaseBrake() },
  acknowledge: { command: () => ({ kind: "acknowledge", attentionId: "a0", actor }) },
  take_checkpoint: { command: () => ({ kind: "take_checkpoint", tables: [], chunks: [] }) },
};

function reach(status: WorkflowColumn): (given?: Options) => Scenario {
  return (given) => inWorkflowStatus(status, given);
}

export const workflowFamily: Family<Options> = {
  columns: {
    none: reach("none"),
    active: reach("active"),
    paused: reach("paused"),
    archived: reach("archived"),
    error: reach("error"),
    "pau+e": reach("paused+error"),
  },
  rows,
  table,
  outcome: (s, { runId }) => {
    const { status, error } = s.view.load("workflows");
    return `${status}${error === null ? "" : "+e"}${s.runId === runId ? "" : "*"}`;
  },
};
