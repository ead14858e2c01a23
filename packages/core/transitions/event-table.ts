import { eventAlias } from "./aliases.ts";
import * as c from "./command-builder.ts";
import type { Family, Row } from "./family.ts";
import { machineRows } from "./machine-rows.ts";
import type { Scenario } from "./scenario.ts";
import { inEventStatus } from "./state-builder.ts";

/**
 * Event status @ attempt; r = its revision rose (new content, or available anew), n = the
 * republish was only noted. res?: held by a run whose change is uncertain, res!: applied; co2: at
 * attempt 2. "The run" is the one that holds or held the event; for pe one that only looks.
 */
const table = `
                   pe       re       res?     res!     co       co2      sk
publish(same)      pe@1     re@1     re@1     re@1     co@1     co@2     sk@1
publish(other)     pe@1r    re@1n    re@1n    re@1n    co@1n    co@2n    sk@1n
skip_event         sk@1r    sk@1r    behind   behind   evdone   evdone   evskip
skip_input         sk@1r    sk@1r    inkept   inkept   inkept   inkept   sk@1
reprocess_event    evpend   evheld   evheld   evheld   pe@2r    pe@3r    pe@2r
reprocess_input    evpend   evheld   evheld   evheld   pe@2r    pe@3r    pe@2r
reset_topic        pe@1     holds    holds    holds    pe@2r    pe@3r    pe@2r
reserve            re@1     notpg    notact   notpg    notpen   notpen   notpen
commit             notem    co@1     notact   co@1     closed   closed   closed
stop               pe@1     pe@1r    wait     wait     closed   closed   closed
stop(later-run)    pe@1     pe@1r    wait     wait     co@1     co@2     sk@1
recover            pe@1     re@1     notact   re@1     co@1     co@2     sk@1
recover+retry      pe@1     pe@1r    unord    re@1     closed   closed   closed
`;

/** Every other command: `same` = accepted, and the event is as it was; else the refusal. */
const unaffected = `
                   pe      re      res?     res!    co      co2     sk
create_workflow    exists  exists  exists   exists  exists  exists  exists
activate_version   same    same    same     same    same    same    same
pause_workflow     same    same    same     same    same    same    same
resume_workflow    isact   isact   isact    isact   isact   isact   isact
archive_workflow   busy    busy    busy     busy    busy    busy    busy
restore_workflow   isact   isact   isact    isact   isact   isact   isact
run_now            busy    busy    busy     busy    busy    busy    busy
receive_delivery   same    same    same     same    same    same    same
skip_firing        same    same    same     same    same    same    same
reset_producer     same    same    same     same    same    same    same
acknowledge        noattn  noattn  noattn   noattn  noattn  noattn  noattn
note_stale         fresh   fresh   fresh    fresh   fresh   fresh   fresh
set_envelope       same    same    same     same    same    same    same
set_brake          same    same    same     same    same    same    same
release_brake      brkoff  brkoff  brkoff   brkoff  brkoff  brkoff  brkoff
take_checkpoint    same    same    same     same    same    same    same
note_store         same    same    same     same    same    same    same
continue_restored  noattn  noattn  noattn   noattn  noattn  noattn  noattn
start_run          open    open    open     open    open    open    open
finish_mutate      notpd   notpd   notact   notpd   closed  closed  closed
pause_run          same    same    notact   same    closed  closed  closed
resume_run         notpau  notpau  wait     notpau  closed  closed  closed
fail_run           same    same    notact   same    closed  closed  closed
retry_run          notbad  notbad  notbad   notbad  closed  closed  closed
record_mutation    notpd   notpd   notact   notpd   closed  closed  closed
approve_mutation   nomut   nomut   notask   notask  nomut   nomut   nomut
reject_mutation    nomut   nomut   notask   notask  nomut   nomut   nomut
edit_mutation      nomut   nomut   notask   notask  nomut   nomut   nomut
ask_approval       nomut   nomut   unready  settled nomut   nomut   nomut
expire_approval    nomut   nomut   notask   notask  nomut   nomut   nomut
send_mutation      nomut   nomut   unready  settled nomut   nomut   nomut
resend_mutation    nomut   nomut   over     settled nomut   nomut   nomut
report_unsent      nomut   nomut   notfly   settled nomut   nomut   nomut
settle_mutation    nomut   nomut   notfly   settled nomut   nomut   nomut
answer_reconcile   nomut   nomut   same     settled nomut   nomut   nomut
resolve_mutation   nomut   nomut   hostasks settled nomut   nomut   nomut
record_late_answer nomut   nomut   same     same    nomut   nomut   nomut
enter_item         notjob  notjob  notact   notjob  closed  closed  closed
complete_item      notjob  notjob  notact   notjob  closed  closed  closed
compare_payload    nomut   nomut   notact   unopen  closed  closed  closed
accept_payload     noitem  noitem  noitem   noitem  noitem  noitem  noitem
reprocess_items    noitem  noitem  noitem   noitem  noitem  noitem  noitem
skip_item          noitem  noitem  noitem   noitem  noitem  noitem  noitem
start_fresh        nohand  nohand  nohand   nohand  nohand  nohand  nohand
make_way           notjob  notjob  notact   notjob  closed  closed  closed
${machineRows(7, {
  fail: "nomut nomut unready unready nomut nomut nomut",
  recover: "nomut nomut notfly notfly nomut nomut nomut",
})}
`;

/** Points the scenario at the run that is open now. */
function atOpenRun(s: Scenario): Scenario {
  for (const run of s.view.rows("runs")) if (run.open) s.runId = run.runId;
  return s;
}

function crashIfActive(s: Scenario): void {
  const { open, status } = s.runRow();
  if (open && status === "active") s.run(c.recoverRun("host-7"));
}

const rows: Readonly<Record<string, Row<never>>> = {
  "publish(same)": { command: () => c.publishEvent("e1") },
  "publish(other)": { command: () => c.publishEvent("e1", "other bytes") },
  skip_event: { command: () => c.onEvent("skip_event", "e1") },
  skip_input: { command: () => c.onInput("skip_input", "e1") },
  reprocess_event: { command: () => c.onEvent("reprocess_event", "e1") },
  reprocess_input: { command: () => c.onInput("reprocess_input", "e1") },
  reset_topic: { command: () => ({ kind: "reset_topic", topic: "orders", actor: c.actor }) },
  reserve: { command: (s) => c.finishPrepare(s, "e1"), first: atOpenRun },
  commit: { command: c.commitRun },
  stop: { command: (s) => c.onRun("stop_run", s) },
  "stop(later-run)": { command: (s) => c.onRun("stop_run", s), first: atOpenRun },
  recover: { command: () => c.recoverRun("host-7") },
  "recover+retry": { command: (s) => c.onRun("start_retry", s), first: crashIfActive },
};

/** Noticed before the command of the cell, so that a rise can be seen. */
type Seen = { revision: number; lateCount: number };
const seenBefore = new WeakMap<Scenario, Seen>();

function watched(s: Scenario): Scenario {
  const { revision, lateCount } = s.view.load("events", "orders", "e1");
  seenBefore.set(s, { revision, lateCount });
  return s;
}

export const eventFamily: Family = {
  columns: {
    pe: () => watched(inEventStatus("pending")),
    re: () => watched(inEventStatus("reserved")),
    "res?": () => watched(inEventStatus("reserved+unknown")),
    "res!": () => watched(inEventStatus("reserved+applied")),
    co: () => watched(inEventStatus("consumed")),
    co2: () => watched(inEventStatus("consumed@2")),
    sk: () => watched(inEventStatus("skipped")),
  },
  rows,
  table,
  unaffected,
  outcome: (s) => {
    const { status, attempt, revision, lateCount } = s.view.load("events", "orders", "e1");
    const before = seenBefore.get(s);
    const rose = before && revision > before.revision ? "r" : "";
    const noted = before && lateCount > before.lateCount ? "n" : "";
    return `${eventAlias[status]}@${attempt}${rose}${noted}`;
  },
};
