import { phaseAlias, statusAlias } from "./aliases.ts";
import * as c from "./command-builder.ts";
import { defaultCommands } from "./default-commands.ts";
import type { Family, Row } from "./family.ts";
import { machineRows } from "./machine-rows.ts";
import type { Scenario } from "./scenario.ts";
import {
  atPhase,
  deployed,
  emitting,
  inLedgerState,
  inRunStatus,
  preparing,
} from "./state-builder.ts";

/**
 * The phase of an active run afterwards; /status if it is no longer active, >phase where an
 * ordered retry will start, new.* = a new run and its phase. pd0: prepared with nothing reserved;
 * mg+: its call is recorded and ready; md+: its change is applied, md: it made no call.
 */
const table = `
             pg       pd       pd0      mg       mg+      md       md+      em       ex       cm
prepare      pd       notpg    notpg    notpg    notpg    notpg    notpg    notpg    notpg    closed
prepare(0)   pd       notpg    notpg    notpg    notpg    notpg    notpg    notpg    notpg    closed
finish_mut   notpd    md       empty    md       taken    notpd    notpd    notpd    notpd    closed
record       notpd    mg       empty    mg       taken    notpd    notpd    notpd    notpd    closed
record(ask)  notpd    mg/ap    empty    mg/ap    taken    notpd    notpd    notpd    notpd    closed
send         nomut    nomut    nomut    settled  mg       nomut    settled  settled  nomut    nomut
settle       nomut    nomut    nomut    settled  notfly   nomut    settled  settled  nomut    nomut
send+settle  nomut    nomut    nomut    settled  md       nomut    settled  settled  nomut    nomut
commit       notem    notem    cm/co    notem    notem    cm/co    cm/co    cm/co    cm/co    closed
fail         pg/lo    pd/lo    pd/lo    mg/lo    wait     md/lo    md/lo    em/lo    ex/lo    closed
pause        pg/us    pd/us    pd/us    mg/us    mg/us    md/us    md/us    em/us    ex/us    closed
pause+resume pg       pd       pd       mg       mg       md       md       em       ex       closed
recover      pg/cr>pg pd/cr>pg pd/cr>pg mg/cr>pg sure     md/cr>pg md/cr>em em/cr>em ex/cr>ex norun
crash+retry  new.pg   new.pg   new.pg   new.pg   unord    new.pg   new.em   new.em   new.ex   closed
fail+retry   new.pg   new.pg   new.pg   new.pg   unord    new.pg   new.em   new.em   new.ex   closed
stop         pg/ab    pd/ab    pd/ab    mg/ab    mg/ab    md/ab    wait     wait     ex/ab    closed
skip_event   pg       pd/ab    pd       mg/ab    mg/ab    md/ab    behind   behind   ex       evdone
skip_input   pg       pd/ab    pd       mg/ab    mg/ab    md/ab    inkept   inkept   ex       inkept
ask_approval nomut    nomut    nomut    settled  mg/ap    nomut    settled  settled  nomut    nomut
start_run    open     open     open     open     open     open     open     open     open     new.pg
set_brake    pg       pd       pd       mg       mg/ap    md       md       em       ex       cm/co
note_store   pg       pd       pd       mg       mg/ap    md       md       em       ex       cm/co
`;

/** Every other command: `same` = accepted, and the run is as it was; else the refusal. */
const unaffected = `
                   pg      pd      pd0     mg      mg+     md      md+     em      ex      cm
create_workflow    exists  exists  exists  exists  exists  exists  exists  exists  exists  exists
activate_version   same    same    same    same    same    same    same    same    same    same
pause_workflow     same    same    same    same    same    same    same    same    same    same
resume_workflow    isact   isact   isact   isact   isact   isact   isact   isact   isact   isact
archive_workflow   busy    busy    busy    busy    busy    busy    busy    busy    busy    same
restore_workflow   isact   isact   isact   isact   isact   isact   isact   isact   isact   isact
run_now            busy    busy    busy    busy    busy    busy    busy    busy    busy    same
skip_firing        same    same    same    same    same    same    same    same    same    same
reset_producer     same    same    same    same    same    same    same    same    busy    same
acknowledge        noattn  noattn  noattn  noattn  noattn  noattn  noattn  noattn  noattn  noattn
note_stale         fresh   fresh   fresh   fresh   fresh   fresh   fresh   fresh   fresh   fresh
set_envelope       same    same    same    same    same    same    same    same    same    same
release_brake      brkoff  brkoff  brkoff  brkoff  brkoff  brkoff  brkoff  brkoff  brkoff  brkoff
take_checkpoint    same    same    same    same    same    same    same    same    same    same
continue_restored  noattn  noattn  noattn  noattn  noattn  noattn  noattn  noattn  noattn  noattn
publish_event      same    same    same    same    same    same    same    same    same    same
receive_delivery   same    same    same    same    same    same    same    same    same    same
reprocess_event    evpend  evheld  evpend  evheld  evheld  evheld  evheld  evheld  evpend  same
reprocess_input    evpend  evheld  evpend  evheld  evheld  evheld  evheld  evheld  evpend  same
reset_topic        same    holds   same    holds   holds   holds   holds   holds   same    same
retry_run          notbad  notbad  notbad  notbad  notbad  notbad  notbad  notbad  notbad  closed
approve_mutation   nomut   nomut   nomut   notask  notask  nomut   notask  notask  nomut   nomut
reject_mutation    nomut   nomut   nomut   notask  notask  nomut   notask  notask  nomut   nomut
edit_mutation      nomut   nomut   nomut   notask  notask  nomut   notask  notask  nomut   nomut
expire_approval    nomut   nomut   nomut   notask  notask  nomut   notask  notask  nomut   nomut
resend_mutation    nomut   nomut   nomut   settled sure    nomut   settled settled nomut   nomut
report_unsent      nomut   nomut   nomut   settled notfly  nomut   settled settled nomut   nomut
answer_reconcile   nomut   nomut   nomut   settled sure    nomut   settled settled nomut   nomut
resolve_mutation   nomut   nomut   nomut   settled sure    nomut   settled settled nomut   nomut
record_late_answer nomut   nomut   nomut   same    sure    nomut   same    same    nomut   nomut
enter_item         notjob  notjob  notjob  notjob  notjob  notjob  notjob  notjob  notjob  closed
complete_item      notjob  notjob  notjob  notjob  notjob  notjob  notjob  notjob  notjob  closed
compare_payload    nomut   nomut   nomut   unopen  unopen  nomut   unopen  unopen  nomut   closed
accept_payload     noitem  noitem  noitem  noitem  noitem  noitem  noitem  noitem  noitem  noitem
reprocess_items    noitem  noitem  noitem  noitem  noitem  noitem  noitem  noitem  noitem  noitem
skip_item          noitem  noitem  noitem  noitem  noitem  noitem  noitem  noitem  noitem  noitem
start_fresh        nohand  nohand  nohand  nohand  nohand  nohand  nohand  nohand  nohand  nohand
make_way           notjob  notjob  notjob  notjob  notjob  notjob  notjob  notjob  notjob  closed
${machineRows(10, {
  fail: "nomut nomut nomut unready notmach nomut unready unready nomut nomut",
  recover: "nomut nomut nomut notfly notfly nomut notfly notfly nomut nomut",
})}
`;

function prepareNothing(): Scenario {
  const s = preparing();
  return s.run(c.finishPrepare(s));
}

function executing(): Scenario {
  const s = deployed().run(c.publishEvent("e1"));
  return s.run(c.startRun(s, "poll"));
}

function isActive(s: Scenario): boolean {
  const { open, status } = s.runRow();
  return open && status === "active";
}

/** Only where the run is active and has no call under way; elsewhere the command comes as it is. */
function ifFree(act: (s: Scenario) => unknown): (s: Scenario) => void {
  return (s) => {
    const ready = s.view.find("mutations", s.mutationId)?.state === "ready";
    if (isActive(s) && !ready) act(s);
  };
}

function sendIfReady(s: Scenario): void {
  if (s.view.find("mutations", s.mutationId)?.state === "ready") s.run(c.send(s));
}

function failAndOrder(s: Scenario): void {
  s.run(c.failRun(s, "internal")).run(c.onRun("retry_run", s));
}

/** Where it is the second crash in a row a person has to let the workflow go on. */
function crashAndResume(s: Scenario): void {
  s.run(c.recoverRun("host-7"));
  if (s.view.load("workflows").error !== null) s.run(c.onWorkflow("resume_workflow"));
}

function pauseIfActive(s: Scenario): void {
  if (isActive(s)) s.run(c.pauseRun(s, { reason: "user" }));
}

const rows: Readonly<Record<string, Row<never>>> = {
  prepare: { command: (s) => c.finishPrepare(s, "e1") },
  "prepare(0)": { command: (s) => c.finishPrepare(s) },
  finish_mut: { command: (s) => c.onRun("finish_mutate", s) },
  record: { command: (s) => c.recordMutation(s) },
  "record(ask)": { command: (s) => c.recordMutation(s, { ask: c.askFor(s) }) },
  send: { command: (s) => c.send(s) },
  settle: { command: c.settleApplied },
  "send+settle": { command: c.settleApplied, first: sendIfReady },
  commit: { command: c.commitRun },
  fail: { command: (s) => c.failRun(s, "logic") },
  pause: { command: (s) => c.pauseRun(s, { reason: "user" }) },
  "pause+resume": { command: (s) => c.resumeRun(s), first: pauseIfActive },
  recover: { command: () => c.recoverRun("host-7") },
  "crash+retry": {
    command: (s) => c.onRun("start_retry", s),
    first: ifFree(crashAndResume),
  },
  "fail+retry": {
    command: (s) => c.onRun("start_retry", s),
    first: ifFree(failAndOrder),
  },
  stop: { command: (s) => c.onRun("stop_run", s) },
  skip_event: { command: () => c.onEvent("skip_event", "e1") },
  skip_input: { command: defaultCommands.skip_input },
  ask_approval: { command: c.askApproval },
  start_run: { command: defaultCommands.start_run },
  set_brake: { command: () => c.setBrake() },
  note_store: { command: () => c.noteStore() },
};

export const phaseFamily: Family = {
  columns: {
    pg: preparing,
    pd: () => atPhase("prepared"),
    pd0: prepareNothing,
    mg: () => atPhase("mutating"),
    "mg+": () => inLedgerState("ready"),
    md: () => atPhase("mutated"),
    "md+": () => inLedgerState("applied"),
    em: emitting,
    ex: executing,
    cm: () => inRunStatus("committed", "mutated"),
  },
  rows,
  table,
  unaffected,
  outcome: (s, { runId }) => {
    if (s.runId !== runId) return `new.${phaseAlias[s.runRow().phase]}`;
    const { status, phase, retryFrom } = s.runRow(runId);
    const then = retryFrom === null ? "" : `>${phaseAlias[retryFrom]}`;
    return `${phaseAlias[phase]}${status === "active" ? "" : `/${statusAlias[status]}`}${then}`;
  },
};
