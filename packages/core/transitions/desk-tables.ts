import * as c from "./command-builder.ts";
import { defaultCommands, questionId } from "./default-commands.ts";
import type { Family } from "./family.ts";
import { machineRows } from "./machine-rows.ts";
import type { Scenario } from "./scenario.ts";
import { deployed, inLedgerState } from "./state-builder.ts";

/** Is the newest question still asking, or answered? The brake it set stays either way. */
const questionTable = `
              none    approval unknown  failed   after-all seen     older
acknowledge   noattn  noattn   noattn   noattn   answered  noattn   noattn
approve       nomut   answered notask   notask   notask    notask   nomut
resolve(skip) nomut   asks     answered settled  settled   settled  nomut
retry_run     norun   notbad   notbad   answered asking    answered norun
release_brake brkoff  brkoff   brkoff   brkoff   asking    answered brkoff
reject(skip)  nomut   answered notask   notask   notask    notask   nomut
edit          nomut   asking   notask   notask   notask    notask   nomut
late(applied) nomut   sure     answered asking   asking    asking   nomut
stop_run      norun   answered wait     answered asking    answered norun
skip_event    noev    answered behind   answered asking    answered noev
skip_input    noinp   answered inkept   answered asking    answered noinp
activate      nothing asking   asking   answered asking    answered asking
note_store    asking  asking   asking   asking   asking    asking   noted
continue      noattn  noattn   noattn   noattn   noattn    noattn   answered
release(all)  brkoff  brkoff   brkoff   brkoff   brkoff    brkoff   unans
fail_machines asking  asking   asking   asking   asking    asking   asking
record_intent nothing asking   asking   asking   asking    asking   asking
`;

/** Every other command: `same` = accepted, and the question is as it was; else the refusal. */
const questionUnaffected = `
                 none   approval unknown failed  after-all seen    older
create_workflow  exists exists   exists  exists  exists    exists  exists
pause_workflow   same   same     same    same    same      same    same
resume_workflow  isact  isact    isact   isact   isact     isact   isact
archive_workflow same   busy     busy    busy    busy      busy    same
restore_workflow isact  isact    isact   isact   isact     isact   isact
run_now          same   busy     busy    busy    busy      busy    same
skip_firing      same   same     same    same    same      same    same
reset_producer   same   same     same    same    same      same    same
set_envelope     same   same     same    same    same      same    same
set_brake        same   same     same    same    same      same    same
take_checkpoint  same   same     same    same    same      same    same
publish_event    same   same     same    same    same      same    same
receive_delivery same   same     same    same    same      same    same
reprocess_event  noev   evheld   evheld  evheld  evheld    evheld  noev
reprocess_input  noinp  evheld   evheld  evheld  evheld    evheld  noinp
reset_topic      same   holds    holds   holds   holds     holds   same
start_run        same   open     open    open    open      open    same
start_retry      norun  unord    unord   unord   unord     unord   norun
finish_prepare   norun  notact   notact  notact  notact    notact  norun
finish_mutate    norun  notact   notact  notact  notact    notact  norun
commit_run       norun  notact   notact  notact  notact    notact  norun
pause_run        norun  notact   notact  notact  notact    notact  norun
resume_run       norun  asks     wait    notpau  notpau    notpau  norun
fail_run         norun  notact   notact  notact  notact    notact  norun
recover_run      norun  notact   notact  notact  notact    notact  norun
record_mutation  norun  notact   notact  notact  notact    notact  norun
ask_approval     nomut  asks     unready settled settled   settled nomut
expire_approval  nomut  early    notask  notask  notask    notask  nomut
send_mutation    nomut  asks     unready settled settled   settled nomut
resend_mutation  nomut  sure     sure    settled settled   settled nomut
report_unsent    nomut  notfly   notfly  settled settled   settled nomut
settle_mutation  nomut  notfly   notfly  settled settled   settled nomut
answer_reconcile nomut  sure     sure    settled settled   settled nomut
enter_item       norun  notact   notact  notact  notact    notact  norun
complete_item    norun  notact   notact  notact  notact    notact  norun
compare_payload  norun  notact   notact  notact  notact    notact  norun
accept_payload   noitem noitem   noitem  noitem  noitem    noitem  noitem
reprocess_items  noitem noitem   noitem  noitem  noitem    noitem  noitem
skip_item        noitem noitem   noitem  noitem  noitem    noitem  noitem
start_fresh      nohand nohand   nohand  nohand  nohand    nohand  nohand
make_way         norun  notact   notact  notact  notact    notact  norun
note_stale       noinp  fresh    fresh   fresh   fresh     fresh   noinp
${machineRows(7, {
  fail: "nomut unready unready unready unready unready nomut",
  recover: "nomut notfly notfly notfly notfly notfly nomut",
  inTable: ["fail_machines", "record_intent"],
})}
`;

const { acknowledge } = defaultCommands;

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
    older: () => deployed().run(c.noteStore()),
  },
  rows: {
    acknowledge: { command: acknowledge },
    approve: { command: (s) => c.approve(s) },
    "resolve(skip)": { command: (s) => c.resolve(s, { says: "skip" }) },
    retry_run: { command: (s) => c.onRun("retry_run", s) },
    release_brake: { command: () => c.releaseBrake() },
    "reject(skip)": { command: defaultCommands.reject_mutation },
    edit: { command: defaultCommands.edit_mutation },
    "late(applied)": { command: defaultCommands.record_late_answer },
    stop_run: { command: defaultCommands.stop_run },
    skip_event: { command: defaultCommands.skip_event },
    skip_input: { command: defaultCommands.skip_input },
    activate: { command: defaultCommands.activate_version },
    note_store: { command: () => c.noteStore() },
    continue: { command: defaultCommands.continue_restored },
    "release(all)": { command: () => c.releaseBrake("*") },
    fail_machines: { command: defaultCommands.fail_machines },
    record_intent: { command: defaultCommands.record_intent },
  },
  table: questionTable,
  unaffected: questionUnaffected,
  outcome: (s) => {
    const question = s.view.find("attentions", questionId(s));
    if (!question) return "nothing";
    return question.closedAt === null ? "asking" : "answered";
  },
};

/**
 * Which brakes are on afterwards: op = this operation, all = everything of the workflow; ! = the
 * run waits because of them.
 */
const brakeTable = `
                   off      op       all      op+all
set_brake(op)      op!      brake    op+all!  brake
set_brake(all)     all!     op+all!  brake    brake
release_brake(op)  brkoff   off      brkoff   all!
release_brake(all) brkoff   brkoff   off      op!
send               off      brake    brake    brake
note_store         all!     op+all!  all!     op+all!
continue           noattn   noattn   noattn   noattn
continue(restored) off      op!      all!     op+all!
late(applied)      op       op       op+all   op+all
skip_event         off      op       all      op+all
skip_input         off      op       all      op+all
stop_run           off      op       all      op+all
`;

/** Every other command: `same` = accepted, and the brakes are as they were; else the refusal. */
const brakeUnaffected = `
                 off     op      all     op+all
create_workflow  exists  exists  exists  exists
activate_version same    same    same    same
pause_workflow   same    same    same    same
resume_workflow  isact   isact   isact   isact
archive_workflow busy    busy    busy    busy
restore_workflow isact   isact   isact   isact
run_now          busy    busy    busy    busy
skip_firing      same    same    same    same
reset_producer   same    same    same    same
acknowledge      noattn  noattn  noattn  noattn
note_stale       fresh   fresh   fresh   fresh
take_checkpoint  same    same    same    same
publish_event    same    same    same    same
receive_delivery same    same    same    same
reprocess_event  evheld  evheld  evheld  evheld
reprocess_input  evheld  evheld  evheld  evheld
reset_topic      holds   holds   holds   holds
start_run        open    open    open    open
start_retry      unord   unord   unord   unord
finish_prepare   notpg   notact  notact  notact
finish_mutate    taken   notact  notact  notact
commit_run       notem   notact  notact  notact
pause_run        same    notact  notact  notact
resume_run       notpau  brake   brake   brake
fail_run         wait    notact  notact  notact
retry_run        notbad  notbad  notbad  notbad
recover_run      sure    notact  notact  notact
record_mutation  taken   notact  notact  notact
approve_mutation notask  notask  notask  notask
reject_mutation  notask  notask  notask  notask
edit_mutation    notask  notask  notask  notask
set_envelope     same    same    same    same
ask_approval     same    notact  notact  notact
expire_approval  notask  notask  notask  notask
resend_mutation  sure    sure    sure    sure
report_unsent    notfly  notfly  notfly  notfly
settle_mutation  notfly  notfly  notfly  notfly
answer_reconcile sure    sure    sure    sure
resolve_mutation sure    sure    sure    sure
enter_item       notjob  notact  notact  notact
complete_item    notjob  notact  notact  notact
compare_payload  unopen  notact  notact  notact
accept_payload   noitem  noitem  noitem  noitem
reprocess_items  noitem  noitem  noitem  noitem
skip_item        noitem  noitem  noitem  noitem
start_fresh      nohand  nohand  nohand  nohand
make_way         notjob  notact  notact  notact
${machineRows(4, {
  fail: "notmach notmach notmach notmach",
  recover: "notfly notfly notfly notfly",
})}
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
    note_store: { command: () => c.noteStore() },
    continue: { command: defaultCommands.continue_restored },
    "continue(restored)": {
      command: defaultCommands.continue_restored,
      first: (s) => s.run(c.noteStore()),
    },
    "late(applied)": { command: (s) => c.lateAnswer(s, "applied"), given: "failed" },
    skip_event: { command: defaultCommands.skip_event },
    skip_input: { command: defaultCommands.skip_input },
    stop_run: { command: defaultCommands.stop_run },
  },
  table: brakeTable,
  unaffected: brakeUnaffected,
  outcome: (s) => {
    const op = s.view.find("brakes", c.operation) ? ["op"] : [];
    const all = s.view.find("brakes", "*") ? ["all"] : [];
    const isHeld = s.runRow().reason === "brake";
    return `${[...op, ...all].join("+") || "off"}${isHeld ? "!" : ""}`;
  },
};
