import { runStatuses } from "../run/run-status.ts";
import { phaseAlias, statusAlias } from "./aliases.ts";
import * as c from "./command-builder.ts";
import { defaultCommands } from "./default-commands.ts";
import type { Family, Row } from "./family.ts";
import { machineRows } from "./machine-rows.ts";
import type { Scenario } from "./scenario.ts";
import { inRunStatus, type RunPoint } from "./state-builder.ts";

/**
 * Run status . phase; `>` = a retry is ordered; new.* = a new run took over or was started, and
 * its phase. `su` is a run that was superseded: it keeps the status it stopped with.
 */
const table = `
                       ac     tr     ap     rc     us     lo     in     ab     co     cr     su
finish_prepare         ac.pd  notact notact notact notact notact notact closed closed notact closed
finish_mutate          ac.md  notact notact notact notact notact notact closed closed notact closed
record(allowed)        ac.mg  notact notact notact notact notact notact closed closed notact closed
record(ask)            ap.mg  notact notact notact notact notact notact closed closed notact closed
commit_run             co.cm  notact notact notact notact notact notact closed closed notact closed
pause(backoff)         tr.pg  notact notact notact notact notact notact closed closed notact closed
pause(rate_limit)      tr.pg  notact notact notact notact notact notact closed closed notact closed
pause(user)            us.pg  notact notact notact notact notact notact closed closed notact closed
pause(auth)            ap.pg  notact notact notact notact notact notact closed closed notact closed
pause(permission)      ap.pg  notact notact notact notact notact notact closed closed notact closed
pause(precondition)    ap.pg  notact notact notact notact notact notact closed closed notact closed
pause(budget)          ap.pg  notact notact notact notact notact notact closed closed notact closed
resume(person)         notpau ac.pg  ac.pg  wait   ac.pg  notpau notpau closed closed notpau closed
resume(person,prep'd)  notpau ac.pd  ac.pd  wait   ac.pd  notpau notpau closed closed notpau closed
resume(person,mut'ing) notpau ac.mg  ac.mg  wait   ac.mg  notpau notpau closed closed notpau closed
resume(person,mut'd)   notpau ac.md  ac.md  wait   ac.md  notpau notpau closed closed notpau closed
resume(host,early)     notpau later  later  wait   ac.pg  notpau notpau closed closed notpau closed
resume(host,due)       notpau ac.pg  later  wait   ac.pg  notpau notpau closed closed notpau closed
resume(wf-paused)      notpau halted halted halted halted notpau notpau closed closed notpau closed
resume(ordered)        notpau ac.pg  ac.pg  order  ac.pg  notpau notpau closed closed notpau closed
fail(logic)            lo.pg  notact notact notact notact notact notact closed closed notact closed
fail(internal)         in.pg  notact notact notact notact notact notact closed closed notact closed
fail(logic,mut'd)      lo.md  notact notact notact notact notact notact closed closed notact closed
retry_run              notbad notbad notbad notbad notbad lo.pg> in.pg> closed closed order  closed
retry_run(ordered)     notbad notbad notbad notbad notbad order  order  closed closed order  closed
start_retry            unord  unord  unord  unord  unord  unord  unord  closed closed new.pg closed
start_retry(ordered)   unord  unord  unord  later  unord  new.pg new.pg closed closed new.pg closed
start_retry(wf-paused) halted halted halted halted halted halted halted closed closed halted closed
stop_run               ab.pg  ab.pg  ab.pg  wait   ab.pg  ab.pg  ab.pg  closed closed ab.pg  closed
stop_run(mut'ing)      ab.mg  ab.mg  ab.mg  wait   ab.mg  ab.mg  ab.mg  closed closed ab.mg  closed
stop_run(ordered)      ab.pg  ab.pg  ab.pg  ab.mg  ab.pg  ab.pg  ab.pg  closed closed ab.pg  closed
recover_run            cr.pg> notact notact notact notact notact notact norun  norun  notact cr.pg
start_run(another)     open   open   open   open   open   open   open   new.pg new.pg open   open
start_run(producer)    open   open   open   open   open   open   open   new.ex new.ex open   open
activate_version       ac.pg  tr.pg  ap.pg  rc.mg  us.pg  lo.pg> in.pg  ab.pg  co.cm  cr.pg> cr.pg
set_envelope(denied)   ac.pg  tr.pg  ap.pg  rc.mg  us.pg  lo.pg  in.pg  ab.pg  co.cm  cr.pg> cr.pg
pause_workflow         ac.pg  tr.pg  ap.pg  rc.mg  us.pg  lo.pg  in.pg  ab.pg  co.cm  cr.pg> cr.pg
resume_workflow        ac.pg  tr.pg  ap.pg  rc.mg  ac.pg  lo.pg  in.pg  ab.pg  co.cm  cr.pg> cr.pg
archive_workflow       busy   busy   busy   busy   busy   busy   busy   ab.pg  co.cm  busy   busy
run_now                busy   busy   busy   busy   busy   busy   busy   ab.pg  co.cm  busy   busy
skip_event             ab.pd  ab.pd  ab.pd  behind ab.pd  ab.pd  ab.pd  ab.pd  evdone ab.pd  cr.pd
skip_input             ab.pd  ab.pd  ab.pd  inkept ab.pd  ab.pd  ab.pd  ab.pd  inkept ab.pd  cr.pd
answer(applied)        nomut  nomut  nomut  ac.md  nomut  nomut  nomut  nomut  nomut  nomut  nomut
late(applied)          nomut  nomut  nomut  ac.md  nomut  nomut  nomut  nomut  nomut  nomut  nomut
`;

/** Every other command: `same` = accepted, and the run is as it was; else the refusal. */
const unaffected = `
                 ac     tr     ap     rc       us     lo     in     ab     co     cr     su
create_workflow  exists exists exists exists   exists exists exists exists exists exists exists
restore_workflow isact  isact  isact  isact    isact  isact  isact  isact  isact  isact  isact
skip_firing      same   same   same   same     same   same   same   same   same   same   same
reset_producer   same   same   same   same     same   same   same   same   same   same   same
acknowledge      noattn noattn noattn noattn   noattn noattn noattn noattn noattn noattn noattn
note_stale       fresh  fresh  fresh  fresh    fresh  fresh  fresh  fresh  fresh  fresh  fresh
ask_approval     nomut  nomut  nomut  unready  nomut  nomut  nomut  nomut  nomut  nomut  nomut
set_brake        same   same   same   same     same   same   same   same   same   same   same
release_brake    brkoff brkoff brkoff brkoff   brkoff brkoff brkoff brkoff brkoff brkoff brkoff
take_checkpoint  same   same   same   same     same   same   same   same   same   same   same
note_store       same   same   same   same     same   same   same   same   same   same   same
continue_restored noattn noattn noattn noattn  noattn noattn noattn noattn noattn noattn noattn
publish_event    same   same   same   same     same   same   same   same   same   same   same
receive_delivery same   same   same   same     same   same   same   same   same   same   same
reprocess_event  evpend evpend evpend evheld   evpend evpend evpend evpend same   evpend evpend
reprocess_input  evpend evpend evpend evheld   evpend evpend evpend evpend same   evpend evpend
reset_topic      same   same   same   holds    same   same   same   same   same   same   same
approve_mutation nomut  nomut  nomut  notask   nomut  nomut  nomut  nomut  nomut  nomut  nomut
reject_mutation  nomut  nomut  nomut  notask   nomut  nomut  nomut  nomut  nomut  nomut  nomut
edit_mutation    nomut  nomut  nomut  notask   nomut  nomut  nomut  nomut  nomut  nomut  nomut
expire_approval  nomut  nomut  nomut  notask   nomut  nomut  nomut  nomut  nomut  nomut  nomut
send_mutation    nomut  nomut  nomut  unready  nomut  nomut  nomut  nomut  nomut  nomut  nomut
resend_mutation  nomut  nomut  nomut  over     nomut  nomut  nomut  nomut  nomut  nomut  nomut
report_unsent    nomut  nomut  nomut  notfly   nomut  nomut  nomut  nomut  nomut  nomut  nomut
settle_mutation  nomut  nomut  nomut  notfly   nomut  nomut  nomut  nomut  nomut  nomut  nomut
resolve_mutation nomut  nomut  nomut  hostasks nomut  nomut  nomut  nomut  nomut  nomut  nomut
enter_item       notjob notact notact notact   notact notact notact closed closed notact closed
complete_item    notjob notact notact notact   notact notact notact closed closed notact closed
compare_payload  nomut  notact notact notact   notact notact notact closed closed notact closed
accept_payload   noitem noitem noitem noitem   noitem noitem noitem noitem noitem noitem noitem
reprocess_items  noitem noitem noitem noitem   noitem noitem noitem noitem noitem noitem noitem
skip_item        noitem noitem noitem noitem   noitem noitem noitem noitem noitem noitem noitem
start_fresh      nohand nohand nohand nohand   nohand nohand nohand nohand nohand nohand nohand
make_way         notjob notact notact notact   notact notact notact closed closed notact closed
${machineRows(11, {
  fail: "nomut nomut nomut unready nomut nomut nomut nomut nomut nomut nomut",
  recover: "nomut nomut nomut notfly nomut nomut nomut nomut nomut nomut nomut",
})}
`;

type RunRowOf = Row<RunPoint>;
type Rows = Readonly<Record<string, RunRowOf>>;

const phaseRows: Rows = {
  finish_prepare: { command: (s) => c.finishPrepare(s, "e1") },
  finish_mutate: { command: (s) => c.onRun("finish_mutate", s), given: "prepared" },
  "record(allowed)": { command: (s) => c.recordMutation(s), given: "prepared" },
  "record(ask)": {
    command: (s) => c.recordMutation(s, { ask: c.askFor(s) }),
    given: "prepared",
  },
  commit_run: { command: c.commitRun, given: "mutated" },
};

function pausedFor(reason: "auth" | "permission" | "precondition" | "budget"): RunRowOf {
  return { command: (s) => c.pauseRun(s, { reason, failure: c.failure(reason) }) };
}

const pauseRows: Rows = {
  "pause(backoff)": {
    command: (s) =>
      c.pauseRun(s, { reason: "backoff", failure: c.failure("transient"), jitter: 0 }),
  },
  "pause(rate_limit)": {
    command: (s) => c.pauseRun(s, { reason: "rate_limit", until: s.now + c.hourMs }),
  },
  "pause(user)": { command: (s) => c.pauseRun(s, { reason: "user" }) },
  "pause(auth)": pausedFor("auth"),
  "pause(permission)": pausedFor("permission"),
  "pause(precondition)": pausedFor("precondition"),
  "pause(budget)": pausedFor("budget"),
};

function resumedAt(given: RunPoint): RunRowOf {
  return { command: (s) => c.resumeRun(s), given };
}

function pauseWorkflow(s: Scenario): void {
  s.run(c.onWorkflow("pause_workflow"));
}

const resumeRows: Rows = {
  "resume(person)": resumedAt("preparing"),
  "resume(person,prep'd)": resumedAt("prepared"),
  "resume(person,mut'ing)": resumedAt("mutating"),
  "resume(person,mut'd)": resumedAt("mutated"),
  "resume(host,early)": { command: (s) => c.resumeRun(s, "host") },
  "resume(host,due)": {
    command: (s) => c.resumeRun(s, "host"),
    first: (s) => s.later(c.hourMs),
  },
  "resume(wf-paused)": { command: (s) => c.resumeRun(s), first: pauseWorkflow },
};

/** Orders the retry of a run that failed or whose change did not happen. */
function orderRetry(s: Scenario): void {
  const { status, open } = s.runRow();
  if (status === "paused:reconciliation") s.run(c.notFound(s, c.visibilityDelayMs));
  if (open && status.startsWith("failed:")) s.run(c.onRun("retry_run", s));
}

const endRows: Rows = {
  "resume(ordered)": { command: (s) => c.resumeRun(s), first: orderRetry },
  "fail(logic)": { command: (s) => c.failRun(s, "logic") },
  "fail(internal)": { command: (s) => c.failRun(s, "internal") },
  "fail(logic,mut'd)": { command: (s) => c.failRun(s, "logic"), given: "mutated" },
  retry_run: { command: (s) => c.onRun("retry_run", s) },
  "retry_run(ordered)": { command: (s) => c.onRun("retry_run", s), first: orderRetry },
  start_retry: { command: (s) => c.onRun("start_retry", s) },
  "start_retry(ordered)": { command: (s) => c.onRun("start_retry", s), first: orderRetry },
  "start_retry(wf-paused)": {
    command: (s) => c.onRun("start_retry", s),
    first: pauseWorkflow,
  },
  stop_run: { command: (s) => c.onRun("stop_run", s) },
  "stop_run(mut'ing)": { command: (s) => c.onRun("stop_run", s), given: "mutating" },
  "stop_run(ordered)": { command: (s) => c.onRun("stop_run", s), first: orderRetry },
  recover_run: { command: () => c.recoverRun("host-3") },
};

/** It is not allowed to go on. */
function deny(s: Scenario): void {
  const because = { reason: "permission", failure: c.failure("permission") } as const;
  if (s.runRow().status === "active") s.run(c.pauseRun(s, because));
}

const workflowRows: Rows = {
  "start_run(another)": { command: (s) => c.startRun(s) },
  "start_run(producer)": { command: (s) => c.startRun(s, "poll") },
  activate_version: { command: () => c.version(1, 1) },
  "set_envelope(denied)": { command: () => c.setEnvelope(), first: deny },
  pause_workflow: { command: () => c.onWorkflow("pause_workflow") },
  resume_workflow: { command: () => c.onWorkflow("resume_workflow"), first: pauseWorkflow },
  archive_workflow: { command: () => c.onWorkflow("archive_workflow") },
  run_now: { command: () => c.onWorkflow("run_now") },
  skip_event: { command: defaultCommands.skip_event, given: "prepared" },
  skip_input: { command: defaultCommands.skip_input, given: "prepared" },
};

const callRows: Rows = {
  "answer(applied)": { command: defaultCommands.answer_reconcile },
  "late(applied)": { command: defaultCommands.record_late_answer },
};

export const runFamily: Family<RunPoint> = {
  columns: {
    ...Object.fromEntries(
      runStatuses.map((status) => [
        statusAlias[status],
        (given: RunPoint = "preparing") => inRunStatus(status, given),
      ]),
    ),
    su: (given = "preparing") => inRunStatus("superseded", given),
  },
  rows: { ...phaseRows, ...pauseRows, ...resumeRows, ...endRows, ...workflowRows, ...callRows },
  table,
  unaffected,
  outcome: (s, { runId }) => {
    if (s.runId !== runId) return `new.${phaseAlias[s.runRow().phase]}`;
    const { status, phase, retryFrom } = s.runRow(runId);
    return `${statusAlias[status]}.${phaseAlias[phase]}${retryFrom === null ? "" : ">"}`;
  },
};
