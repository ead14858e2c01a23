import * as c from "./command-builder.ts";
import { defaultCommands } from "./default-commands.ts";
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
stop_run            norun     norun     norun     norun     paused    paused
run_now             absent    active    halted    halted    haserr    halted
send                nomut     active    halted    settled   nomut     nomut
publish_event       absent    active    paused    archived  active+e  paused+e
receive_delivery    absent    active    paused    isarc     active+e  paused+e
skip_event          noev      active    paused    archived  active+e  paused+e
skip_input          noinp     active    paused    archived  active+e  paused+e
reprocess_event     noev      evpend    evpend    evpend    evpend    evpend
reset_topic         notop     active    paused    archived  active+e  paused+e
reset_producer      nohand    active    paused    archived  active+e  paused+e
skip_firing         nohand    active    paused    archived  active+e  paused+e
set_envelope        absent    active    paused    isarc     active+e  paused+e
set_brake           absent    active    paused    archived  active+e  paused+e
release_brake       brkoff    brkoff    brkoff    brkoff    brkoff    brkoff
acknowledge         noattn    noattn    noattn    noattn    noattn    noattn
take_checkpoint     absent    active    paused    archived  active+e  paused+e
commit_frame        absent    active    paused    archived  active+e  paused+e
record_intent       absent    active    paused    archived  active+e  paused+e
refuse_intent       absent    active    paused    archived  active+e  paused+e
withdraw_intent     absent    active    paused    archived  active+e  paused+e
begin_turn          absent    active    halted    halted    haserr    halted
fail_machines       absent    active+e  halted    halted    haserr    halted
`;

/** Every other command, with its refusal: `same` is none of them. */
const unaffected = `
                   none  active paused archived error  pau+e
reprocess_input    noinp evpend evpend evpend   evpend evpend
finish_prepare     norun norun  norun  norun    notact notact
note_store         absent same  same   same     same   same
note_stale         absent fresh fresh  isarc    fresh  fresh
continue_restored  noattn noattn noattn noattn  noattn noattn
finish_mutate      norun norun  norun  norun    notact notact
commit_run         norun norun  norun  norun    notact notact
pause_run          norun norun  norun  norun    notact notact
resume_run         norun norun  norun  norun    notpau notpau
fail_run           norun norun  norun  norun    notact notact
retry_run          norun norun  norun  norun    order  order
record_mutation    norun norun  norun  norun    notact notact
approve_mutation   nomut nomut  nomut  nomut    nomut  nomut
reject_mutation    nomut nomut  nomut  nomut    nomut  nomut
edit_mutation      nomut nomut  nomut  nomut    nomut  nomut
ask_approval       nomut nomut  nomut  nomut    nomut  nomut
expire_approval    nomut nomut  nomut  nomut    nomut  nomut
resend_mutation    nomut nomut  nomut  nomut    nomut  nomut
report_unsent      nomut nomut  nomut  nomut    nomut  nomut
settle_mutation    nomut nomut  nomut  nomut    nomut  nomut
answer_reconcile   nomut nomut  nomut  nomut    nomut  nomut
resolve_mutation   nomut nomut  nomut  nomut    nomut  nomut
record_late_answer nomut nomut  nomut  nomut    nomut  nomut
enter_item         norun norun  norun  norun    notact notact
complete_item      norun norun  norun  norun    notact notact
compare_payload    norun norun  norun  norun    notact notact
accept_payload     noitem noitem noitem noitem  noitem noitem
reprocess_items    noitem noitem noitem noitem  noitem noitem
skip_item          noitem noitem noitem noitem  noitem noitem
start_fresh        nohand nohand nohand nohand  nohand nohand
make_way           norun norun  norun  norun    notact notact
send_to_machine    absent nomach nomach nomach  nomach nomach
cancel_intent      absent nomach nomach nomach  nomach nomach
restart_cell       absent nomach nomach nomach  nomach nomach
snapshot_machines  absent nomach nomach nomach  nomach nomach
propose_version    absent nomach nomach nomach  nomach nomach
shadow_version     absent noprop noprop noprop  noprop noprop
decide_version     absent noprop noprop noprop  noprop noprop
apply_version      absent noprop noprop noprop  noprop noprop
swap_version       absent noprop noprop noprop  noprop noprop
hold_apply         absent unaskd unaskd unaskd  unaskd unaskd
fail_intent        nomut nomut  nomut  nomut    nomut  nomut
await_executor     nomut nomut  nomut  nomut    nomut  nomut
recover_intent     nomut nomut  nomut  nomut    nomut  nomut
`;

type Options = { readonly withCall: boolean };

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
  stop_run: { command: defaultCommands.stop_run },
  run_now: { command: () => c.onWorkflow("run_now") },
  send: { command: (s) => c.send(s), given: { withCall: true } },
  publish_event: { command: () => c.publishEvent("e9") },
  receive_delivery: { command: () => c.receiveDelivery("d9") },
  skip_event: { command: () => c.onEvent("skip_event", "e1") },
  skip_input: { command: () => c.onInput("skip_input", "e1") },
  reprocess_event: { command: () => c.onEvent("reprocess_event", "e1") },
  reset_topic: { command: () => ({ kind: "reset_topic", topic: "orders", actor }) },
  reset_producer: { command: () => ({ kind: "reset_producer", handler: "poll", actor }) },
  skip_firing: { command: defaultCommands.skip_firing },
  set_envelope: { command: () => c.setEnvelope() },
  set_brake: { command: () => c.setBrake() },
  release_brake: { command: () => c.releaseBrake() },
  acknowledge: { command: () => ({ kind: "acknowledge", attentionId: "a0", actor }) },
  take_checkpoint: { command: () => ({ kind: "take_checkpoint", tables: [], chunks: [] }) },
  commit_frame: { command: defaultCommands.commit_frame },
  record_intent: { command: defaultCommands.record_intent },
  refuse_intent: { command: defaultCommands.refuse_intent },
  withdraw_intent: { command: defaultCommands.withdraw_intent },
  begin_turn: { command: defaultCommands.begin_turn },
  fail_machines: { command: defaultCommands.fail_machines },
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
  unaffected,
  outcome: (s, { runId }) => {
    const { status, error } = s.view.load("workflows");
    return `${status}${error === null ? "" : "+e"}${s.runId === runId ? "" : "*"}`;
  },
};
