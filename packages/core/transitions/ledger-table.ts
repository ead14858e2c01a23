import type { CoreCommand } from "../command.ts";
import { ledgerStates } from "../mutation/ledger-state.ts";
import { ledgerAlias, statusAlias } from "./aliases.ts";
import * as c from "./command-builder.ts";
import { defaultCommands } from "./default-commands.ts";
import type { Family, Row } from "./family.ts";
import { ledgerRows as rowsOfMachines } from "./machine-rows.ts";
import type { Scenario } from "./scenario.ts";
import { inLedgerState, type LedgerOptions } from "./state-builder.ts";

/**
 * Ledger state + run status; `>` = a retry of the run is ordered. `skip` is indeterminate with a
 * person's skip on it. `mute` operations have no reconcile. `held`: the store was restored, and a
 * call that was ready is asked about.
 */
const table = `
                      await     ready     fly       recon     indet     appl      fail      skip
approve               ready+ac  notask    notask    notask    notask    notask    notask    notask
approve(expired)      expired   notask    notask    notask    notask    notask    notask    notask
approve(other-bytes)  differs   notask    notask    notask    notask    notask    notask    notask
reject(skip)          fail+ac   notask    notask    notask    notask    notask    notask    notask
reject(stop)          fail+ab   notask    notask    notask    notask    notask    notask    notask
edit                  fail+ap   notask    notask    notask    notask    notask    notask    notask
edit(other-bytes)     differs   notask    notask    notask    notask    notask    notask    notask
edit(nothing)         unedited  notask    notask    notask    notask    notask    notask    notask
edit(other-envelope)  othenv    notask    notask    notask    notask    notask    notask    notask
expire(due)           fail+ap   notask    notask    notask    notask    notask    notask    notask
expire(not-due)       early     notask    notask    notask    notask    notask    notask    notask
ask_approval          asks      fail+ap   unready   unready   unready   settled   settled   unready
ask(other-envelope)   asks      othenv    unready   unready   unready   settled   settled   unready
ask(run-paused)       asks      notact    unready   unready   unready   settled   settled   unready
send                  asks      fly+ac    unready   unready   unready   settled   settled   unready
send(waiting)         asks      early     unready   unready   unready   settled   settled   unready
send(brake)           asks      brake     unready   unready   unready   settled   settled   unready
send(brake-on-all)    asks      brake     unready   unready   unready   settled   settled   unready
send(run-paused)      asks      notact    unready   unready   unready   settled   settled   unready
send(wf-paused)       asks      halted    unready   unready   unready   settled   settled   unready
send(approval-over)   asks      expired   unready   unready   unready   settled   settled   unready
send(other-envelope)  asks      othenv    unready   unready   unready   settled   settled   unready
send(to-be-asked)     asks      asks      unready   unready   unready   settled   settled   unready
send(restored)        asks      ready+ap  unready   unready   unready   settled   settled   unready
resend                sure      sure      sure      fly+rc    sure      settled   settled   sure
resend(over)          sure      sure      sure      over      sure      settled   settled   sure
resend(no-retention)  sure      sure      sure      over      sure      settled   settled   sure
resend(waiting)       sure      sure      sure      early     sure      settled   settled   sure
resend(brake)         sure      sure      sure      brake     sure      settled   settled   sure
resend(wf-paused)     sure      sure      sure      halted    sure      settled   settled   sure
resend(approval-over) sure      sure      sure      expired   sure      settled   settled   sure
resend(other-env)     sure      sure      sure      othenv    sure      settled   settled   sure
resend(to-be-asked)   sure      sure      sure      asks      sure      settled   settled   sure
resend(restored)      sure      sure      sure      over      sure      settled   settled   sure
unsent(own)           notfly    notfly    ready+ac  notfly    notfly    settled   settled   notfly
unsent(other)         notfly    notfly    notours   notfly    notfly    settled   settled   notfly
settle(applied)       notfly    notfly    appl+ac   notfly    notfly    settled   settled   notfly
settle(logic)         notfly    notfly    fail+lo   notfly    notfly    settled   settled   notfly
settle(internal)      notfly    notfly    fail+in   notfly    notfly    settled   settled   notfly
settle(auth)          notfly    notfly    fail+ap   notfly    notfly    settled   settled   notfly
settle(permission)    notfly    notfly    fail+ap   notfly    notfly    settled   settled   notfly
settle(precondition)  notfly    notfly    fail+ap   notfly    notfly    settled   settled   notfly
settle(budget)        notfly    notfly    fail+ap   notfly    notfly    settled   settled   notfly
settle(transient)     notfly    notfly    ready+tr  notfly    notfly    settled   settled   notfly
settle(rate-limited)  notfly    notfly    ready+tr  notfly    notfly    settled   settled   notfly
settle(unknown)       notfly    notfly    recon+rc  notfly    notfly    settled   settled   notfly
settle(unknown,mute)  notfly    notfly    indet+rc  notfly    notfly    settled   settled   notfly
settle(unknown,key)   notfly    notfly    recon+rc  notfly    notfly    settled   settled   notfly
answer(applied)       sure      sure      sure      appl+ac   sure      settled   settled   sure
answer(proof)         sure      sure      sure      fail+rc>  sure      settled   settled   sure
answer(too-soon)      sure      sure      sure      recon+rc  sure      settled   settled   sure
answer(undeclared)    sure      sure      sure      recon+rc  sure      settled   settled   sure
answer(retry)         sure      sure      sure      recon+rc  sure      settled   settled   sure
answer(unreachable)   sure      sure      sure      recon+rc  sure      settled   settled   sure
answer(last-try)      sure      sure      sure      indet+rc  sure      settled   settled   sure
answer(not-a-try)     sure      sure      sure      recon+rc  sure      settled   settled   sure
answer(time-over)     sure      sure      sure      indet+rc  sure      settled   settled   sure
resolve(again)        asks      sure      inflight  hostasks  recon+rc  settled   settled   decided
resolve(again,mute)   asks      sure      inflight  hostasks  cantask   settled   settled   decided
resolve(did-not)      asks      sure      inflight  hostasks  fail+rc>  settled   settled   decided
resolve(happened)     asks      sure      inflight  hostasks  appl+ac   settled   settled   decided
resolve(skip)         asks      sure      inflight  hostasks  skip+ac   settled   settled   decided
resolve(send)         asks      sure      inflight  hostasks  unready   settled   settled   decided
held(again)           asks      sure      inflight  hostasks  recon+rc  settled   settled   decided
held(did-not)         asks      sure      inflight  hostasks  fail+rc>  settled   settled   decided
held(happened)        asks      appl+ac   inflight  hostasks  appl+ac   settled   settled   decided
held(skip)            asks      fail+ac   inflight  hostasks  skip+ac   settled   settled   decided
held(send)            asks      ready+ac  inflight  hostasks  unready   settled   settled   decided
held(send,sent)       asks      fly+ac    unready   unready   unready   settled   settled   unready
held(resumed)         asks      ready+ap  unready   unready   unready   settled   settled   unready
held(stopped)         fail+ab   fail+ab   wait      wait      wait      wait      fail+ab   wait
late(applied)         sure      sure      appl+ac   appl+ac   appl+ac   appl+ac   fail+lo   skip+ac
late(failed)          sure      sure      fly+ac    recon+rc  indet+rc  appl+ac   fail+lo   skip+ac
late(unknown)         sure      sure      fly+ac    recon+rc  indet+rc  appl+ac   fail+lo   skip+ac
recover(other)        notact    sure      recon+rc  notact    notact    appl+cr>  notact    skip+cr>
recover(other,mute)   notact    sure      indet+rc  notact    notact    appl+cr>  notact    skip+cr>
recover(own)          notact    sure      inflight  notact    notact    appl+cr>  notact    skip+cr>
record_mutation       notact    taken     taken     notact    notact    notpd     notact    notpd
finish_mutate         notact    taken     taken     notact    notact    notpd     notact    notpd
commit_run            notact    notem     notem     notact    notact    appl+co   notact    skip+co
fail_run              notact    wait      wait      notact    notact    appl+lo   notact    skip+lo
pause_run             notact    ready+us  wait      notact    notact    appl+us   notact    skip+us
resume_run            asks      notpau    notpau    wait      wait      notpau    notpau    notpau
retry_run             notbad    notbad    notbad    notbad    notbad    notbad    fail+lo>  notbad
start_retry           unord     unord     unord     unord     unord     unord     unord     unord
start_run             open      open      open      open      open      open      open      open
stop_run              fail+ab   fail+ab   wait      wait      wait      wait      fail+ab   wait
skip_event            fail+ab   fail+ab   behind    behind    behind    behind    fail+ab   behind
skip_input            fail+ab   fail+ab   inkept    inkept    inkept    inkept    fail+ab   inkept
reprocess_event       evheld    evheld    evheld    evheld    evheld    evheld    evheld    evheld
reset_topic           holds     holds     holds     holds     holds     holds     holds     holds
pause_workflow        await+ap  ready+ac  fly+ac    recon+rc  indet+rc  appl+ac   fail+lo   skip+ac
archive_workflow      busy      busy      busy      busy      busy      busy      busy      busy
activate_version      await+ap  ready+ac  fly+ac    recon+rc  indet+rc  appl+ac   fail+lo>  skip+ac
set_brake             await+ap  ready+ap  fly+ac    recon+rc  indet+rc  appl+ac   fail+lo   skip+ac
note_store            await+ap  ready+ap  fly+ac    recon+rc  indet+rc  appl+ac   fail+lo   skip+ac
`;
/** Every other command: `same` = accepted, and call and run are as they were; else the refusal. */
const unaffected = `
                 await   ready   fly     recon   indet   appl    fail    skip
create_workflow  exists  exists  exists  exists  exists  exists  exists  exists
resume_workflow  isact   isact   isact   isact   isact   isact   isact   isact
restore_workflow isact   isact   isact   isact   isact   isact   isact   isact
run_now          busy    busy    busy    busy    busy    busy    busy    busy
skip_firing      same    same    same    same    same    same    same    same
reset_producer   same    same    same    same    same    same    same    same
acknowledge      noattn  noattn  noattn  noattn  noattn  noattn  noattn  noattn
note_stale       fresh   fresh   fresh   fresh   fresh   fresh   fresh   fresh
set_envelope     same    same    same    same    same    same    same    same
release_brake    brkoff  brkoff  brkoff  brkoff  brkoff  brkoff  brkoff  brkoff
take_checkpoint  same    same    same    same    same    same    same    same
continue_restored noattn  noattn  noattn  noattn  noattn  noattn  noattn  noattn
publish_event    same    same    same    same    same    same    same    same
receive_delivery same    same    same    same    same    same    same    same
reprocess_input  evheld  evheld  evheld  evheld  evheld  evheld  evheld  evheld
finish_prepare   notact  notpg   notpg   notact  notact  notpg   notact  notpg
enter_item       notact  notjob  notjob  notact  notact  notjob  notact  notjob
complete_item    notact  notjob  notjob  notact  notact  notjob  notact  notjob
compare_payload  notact  unopen  unopen  notact  notact  unopen  notact  unopen
accept_payload   noitem  noitem  noitem  noitem  noitem  noitem  noitem  noitem
reprocess_items  noitem  noitem  noitem  noitem  noitem  noitem  noitem  noitem
skip_item        noitem  noitem  noitem  noitem  noitem  noitem  noitem  noitem
start_fresh      nohand  nohand  nohand  nohand  nohand  nohand  nohand  nohand
make_way         notact  notjob  notjob  notact  notact  notjob  notact  notjob
${rowsOfMachines}
`;

type Rows = Readonly<Record<string, Row<Partial<LedgerOptions>>>>;
const mute = { canReconcile: false };
const remembers = { retentionMs: c.dayMs };
/** Does it only where the call is in that state; elsewhere the command comes as it is. */
function when(state: string, act: (s: Scenario) => unknown): (s: Scenario) => void {
  return (s) => {
    if (s.mutationRow().state === state) act(s);
  };
}

function askInVain(times: number): (s: Scenario) => void {
  return when("needs_reconcile", (s) => {
    for (let i = 0; i < times; i += 1) s.run(c.askedInVain(s));
  });
}

/** Back to `ready` with a next attempt time, and a person who would not wait for it. */
function rateLimit(s: Scenario): void {
  s.run(c.send(s)).run(c.settle(s, { says: "rate_limited", until: s.now + c.hourMs }));
  s.run(c.resumeRun(s));
}

const approvalRows: Rows = {
  approve: { command: (s) => c.approve(s) },
  "approve(expired)": { command: (s) => c.approve(s), first: (s) => s.later(c.hourMs) },
  "approve(other-bytes)": { command: (s) => c.approve(s, "sha256:other") },
  "reject(skip)": { command: (s) => c.reject(s, "skip") },
  "reject(stop)": { command: (s) => c.reject(s, "stop") },
  edit: { command: (s) => c.edit(s) },
  "edit(other-bytes)": { command: (s) => c.edit(s, { editedHash: "sha256:other" }) },
  "edit(nothing)": {
    command: (s) => c.edit(s, { payload: c.recordMutation(s).payload }),
  },
  "edit(other-envelope)": { command: (s) => elsewhere(c.edit(s)) },
  "expire(due)": { command: expire, first: (s) => s.later(c.hourMs) },
  "expire(not-due)": { command: expire, first: (s) => s.later(c.hourMs - 1) },
};

const askRows: Rows = {
  ask_approval: { command: c.askApproval },
  "ask(other-envelope)": { command: (s) => elsewhere(c.askApproval(s)) },
  "ask(run-paused)": {
    command: c.askApproval,
    first: when("ready", (s) => s.run(c.pauseRun(s, { reason: "user" }))),
  },
};

/** Judged by grants that are not in force. */
function elsewhere(command: CoreCommand): CoreCommand {
  if (!("verdict" in command)) return command;
  return { ...command, verdict: { ...command.verdict, envelope: 7 } };
}

/** A grant asks, and nobody was asked. */
function toBeAsked(command: CoreCommand): CoreCommand {
  if (!("verdict" in command)) return command;
  return { ...command, verdict: { ...command.verdict, says: "ask" } };
}

function expire({ mutationId }: Scenario) {
  return { kind: "expire_approval", mutationId } as const;
}

const sendRows: Rows = {
  send: { command: (s) => c.send(s) },
  "send(waiting)": { command: (s) => c.send(s), first: when("ready", rateLimit) },
  "send(brake)": { command: (s) => c.send(s), first: (s) => s.run(c.setBrake()) },
  "send(brake-on-all)": { command: (s) => c.send(s), first: (s) => s.run(c.setBrake("*")) },
  "send(run-paused)": {
    command: (s) => c.send(s),
    first: when("ready", (s) => s.run(c.pauseRun(s, { reason: "user" }))),
  },
  "send(wf-paused)": { command: (s) => c.send(s), first: pauseWorkflow },
  "send(approval-over)": {
    command: (s) => c.send(s),
    given: { asked: true },
    first: (s) => s.later(c.hourMs),
  },
  "send(other-envelope)": { command: (s) => elsewhere(c.send(s)) },
  "send(to-be-asked)": { command: (s) => toBeAsked(c.send(s)) },
  "send(restored)": { command: (s) => c.send(s), first: restored },
};

/** The store was restored, and a person has said that it goes on. */
function restored(s: Scenario): void {
  s.run(c.noteStore());
  s.run(defaultCommands.continue_restored(s));
}

/** And the call that was ready was to be sent. */
function held(s: Scenario): void {
  restored(s);
  when("ready", () => s.run(c.send(s)))(s);
}

function pauseWorkflow(s: Scenario): void {
  s.run(c.onWorkflow("pause_workflow"));
}

function resend(s: Scenario) {
  return c.send(s, "resend_mutation");
}

const resendRows: Rows = {
  resend: { command: resend, given: remembers },
  "resend(over)": {
    command: resend,
    given: { retentionMs: c.hourMs },
    first: (s) => s.later(c.hourMs),
  },
  "resend(no-retention)": { command: resend },
  "resend(waiting)": { command: resend, given: remembers, first: askInVain(1) },
  "resend(brake)": { command: resend, given: remembers, first: (s) => s.run(c.setBrake()) },
  "resend(wf-paused)": { command: resend, given: remembers, first: pauseWorkflow },
  "resend(approval-over)": {
    command: resend,
    given: { ...remembers, asked: true },
    first: (s) => s.later(c.hourMs),
  },
  "resend(other-env)": { command: (s) => elsewhere(resend(s)), given: remembers },
  "resend(to-be-asked)": { command: (s) => toBeAsked(resend(s)), given: remembers },
  "resend(restored)": { command: resend, given: remembers, first: restored },
  "unsent(own)": { command: (s) => c.unsent(s, "host-1") },
  "unsent(other)": { command: (s) => c.unsent(s, "host-2") },
};

const settleRows: Rows = {
  "settle(applied)": { command: c.settleApplied },
  "settle(logic)": { command: (s) => c.settleFailed(s, "logic") },
  "settle(internal)": { command: (s) => c.settleFailed(s, "internal") },
  "settle(auth)": { command: (s) => c.settleFailed(s, "auth") },
  "settle(permission)": { command: (s) => c.settleFailed(s, "permission") },
  "settle(precondition)": { command: (s) => c.settleFailed(s, "precondition") },
  "settle(budget)": { command: (s) => c.settleFailed(s, "budget") },
  "settle(transient)": { command: (s) => c.settleFailed(s, "transient") },
  "settle(rate-limited)": {
    command: (s) => c.settle(s, { says: "rate_limited", until: s.now + c.hourMs }),
  },
  "settle(unknown)": { command: c.settleUnknown },
  "settle(unknown,mute)": { command: c.settleUnknown, given: mute },
  "settle(unknown,key)": { command: c.settleUnknown, given: { ...mute, ...remembers } },
};

function unreachable(s: Scenario) {
  return c.answer(s, { says: "unreachable", note: "no route" });
}

const answerRows: Rows = {
  "answer(applied)": { command: (s) => c.answer(s, { says: "applied", result: null }) },
  "answer(proof)": { command: (s) => c.notFound(s, c.visibilityDelayMs) },
  "answer(too-soon)": { command: (s) => c.notFound(s, c.visibilityDelayMs - 1) },
  "answer(undeclared)": {
    command: (s) => c.notFound(s, c.dayMs),
    given: { visibilityDelayMs: null },
  },
  "answer(retry)": { command: c.askedInVain },
  "answer(unreachable)": { command: unreachable },
  "answer(last-try)": { command: c.askedInVain, first: askInVain(4) },
  "answer(not-a-try)": { command: unreachable, first: askInVain(4) },
  "answer(time-over)": { command: unreachable, first: (s) => s.later(c.dayMs) },
};

const personRows: Rows = {
  "resolve(again)": { command: (s) => c.resolve(s, { says: "try_again" }) },
  "resolve(again,mute)": { command: (s) => c.resolve(s, { says: "try_again" }), given: mute },
  "resolve(did-not)": { command: (s) => c.resolve(s, c.didNotHappen()) },
  "resolve(happened)": { command: (s) => c.resolve(s, { says: "happened", result: null }) },
  "resolve(skip)": { command: (s) => c.resolve(s, { says: "skip" }) },
  "resolve(send)": { command: (s) => c.resolve(s, { says: "send" }) },
  "late(applied)": { command: (s) => c.lateAnswer(s, "applied") },
  "late(failed)": { command: (s) => c.lateAnswer(s, "failed") },
  "late(unknown)": { command: (s) => c.lateAnswer(s, "unknown") },
};

const heldRows: Rows = {
  "held(again)": { command: (s) => c.resolve(s, { says: "try_again" }), first: held },
  "held(did-not)": { command: (s) => c.resolve(s, c.didNotHappen()), first: held },
  "held(happened)": {
    command: (s) => c.resolve(s, { says: "happened", result: null }),
    first: held,
  },
  "held(skip)": { command: (s) => c.resolve(s, { says: "skip" }), first: held },
  "held(send)": { command: (s) => c.resolve(s, { says: "send" }), first: held },
  "held(send,sent)": {
    command: (s) => c.send(s),
    first: (s) => {
      held(s);
      when("ready", () => s.run(c.resolve(s, { says: "send" })))(s);
    },
  },
  "held(resumed)": {
    command: (s) => c.send(s),
    first: (s) => {
      held(s);
      when("ready", () => s.run(c.resumeRun(s)))(s);
    },
  },
  "held(stopped)": { command: (s) => c.onRun("stop_run", s), first: held },
};

const runRows: Rows = {
  "recover(other)": { command: () => c.recoverRun("host-2") },
  "recover(other,mute)": { command: () => c.recoverRun("host-2"), given: mute },
  "recover(own)": { command: () => c.recoverRun("host-1") },
  record_mutation: { command: (s) => c.recordMutation(s) },
  finish_mutate: { command: (s) => c.onRun("finish_mutate", s) },
  commit_run: { command: c.commitRun },
  fail_run: { command: (s) => c.failRun(s, "logic") },
  pause_run: { command: (s) => c.pauseRun(s, { reason: "user" }) },
  resume_run: { command: (s) => c.resumeRun(s) },
  retry_run: { command: (s) => c.onRun("retry_run", s) },
  start_retry: { command: (s) => c.onRun("start_retry", s) },
  start_run: { command: (s) => c.startRun(s) },
  stop_run: { command: (s) => c.onRun("stop_run", s) },
  skip_event: { command: () => c.onEvent("skip_event", "e1") },
  skip_input: { command: () => c.onInput("skip_input", "e1") },
  reprocess_event: { command: () => c.onEvent("reprocess_event", "e1") },
  reset_topic: { command: () => ({ kind: "reset_topic", topic: "orders", actor: c.actor }) },
  pause_workflow: { command: () => c.onWorkflow("pause_workflow") },
  archive_workflow: { command: () => c.onWorkflow("archive_workflow") },
  activate_version: { command: () => c.version(1, 1) },
  set_brake: { command: () => c.setBrake() },
  note_store: { command: () => c.noteStore() },
};

export const ledgerFamily: Family<Partial<LedgerOptions>> = {
  columns: {
    ...Object.fromEntries(
      ledgerStates.map((state) => [
        ledgerAlias[state],
        (given?: Partial<LedgerOptions>) => inLedgerState(state, given),
      ]),
    ),
    skip: (given) => inLedgerState("indeterminate+skip", given),
  },
  rows: {
    ...approvalRows,
    ...askRows,
    ...sendRows,
    ...resendRows,
    ...settleRows,
    ...answerRows,
    ...personRows,
    ...heldRows,
    ...runRows,
  },
  table,
  unaffected,
  outcome: (s, { mutationId }) => {
    const { state, resolution, runId } = s.mutationRow(mutationId);
    const { status, retryFrom } = s.runRow(runId);
    const skipped = state === "indeterminate" && resolution?.kind === "skip";
    const ledger = skipped ? "skip" : ledgerAlias[state];
    return `${ledger}+${statusAlias[status]}${retryFrom === null ? "" : ">"}`;
  },
};
