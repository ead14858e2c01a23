import { statusAlias } from "./aliases.ts";
import * as c from "./command-builder.ts";
import { defaultCommands } from "./default-commands.ts";
import type { Family } from "./family.ts";
import { parseGrid } from "./grid.ts";
import { type ItemColumn, itemState, withJob } from "./item-states.ts";
import { machineRows } from "./machine-rows.ts";
import type { Scenario } from "./scenario.ts";

/**
 * Of item i1 its status in four letters and its attempt, if it is not the first; * = the run is in
 * it; the run's status; > = a retry is ordered. Columns: ready, appl = its call was recorded or
 * applied, asked = a person is to approve it, indet = nobody knows, differs = a replay wants other
 * bytes, again = failed and entered by a retry, stale = done before the job was started fresh.
 */
const onTheWay = `
                     none     proc      ready    appl      asked     indet
enter_item           proc*.ac proc*.ac  wait     proc*.ac  notact    notact
complete_item        unopen   done.ac   wait     done.ac   notact    notact
compare(minor)       nomut    nomut     unappl   proc*.ac  notact    notact
compare(significant) nomut    nomut     unappl   need*.ap  notact    notact
accept_payload       noitem   unasked   unasked  unasked   unasked   unasked
accept(other)        noitem   unasked   unasked  unasked   unasked   unasked
reprocess_items      noitem   itbusy    itbusy   itbusy    proc2*.ac proc2*.ac
skip_item            noitem   itbusy    itbusy   itbusy    skip*.ac  skip*.ac
record_mutation      unopen   proc*.ac  taken    keyed     notact    notact
resolve(skip)        nomut    nomut     sure     settled   asks      skip*.ac
resolve(not)         nomut    nomut     sure     settled   asks      proc*.ac
resolve(happened)    nomut    nomut     sure     settled   asks      proc*.ac
reject(skip)         nomut    nomut     notask   notask    skip*.ac  notask
late(applied)        nomut    nomut     sure     proc*.ac  sure      proc*.ac
pause(auth)          -.ap     fail*.ap  fail*.ap fail*.ap  notact    notact
pause(budget)        -.ap     proc*.ap  proc*.ap proc*.ap  notact    notact
fail_run             -.lo     fail*.lo  wait     fail*.lo  notact    notact
stop_run             -.ab     fail*.ab  fail*.ab fail*.ab  fail*.ab  wait
recover_run          -.cr>    proc*.cr> sure     proc*.cr> notact    notact
commit_run           -.co     proc*.co  wait     proc*.co  notact    notact
resume_run           notpau   notpau    notpau   notpau    asks      wait
retry_run            notbad   notbad    notbad   notbad    notbad    notbad
approve_mutation     nomut    nomut     notask   notask    proc*.ac  notask
activate(keep)       -.ac     proc*.ac  proc*.ac proc*.ac  proc*.ap  need*.rc
activate(fresh)      busy     busy      busy     busy      busy      busy
activate(select)     noitem   itbusy    itbusy   itbusy    proc2*.ac proc2*.ac
start_fresh          busy     busy      busy     busy      busy      busy
make_way             -.ab     itbusy    itbusy   itbusy    notact    notact
ask_approval         nomut    nomut     proc*.ap settled   asks      unready
set_brake            -.ac     proc*.ac  proc*.ap proc*.ac  proc*.ap  need*.rc
note_store           -.ac     proc*.ac  proc*.ap proc*.ac  proc*.ap  need*.rc
`;

const stopped = `
                     differs   failed     again     done     skipped  stale
enter_item           notact    notact     fail*.ac  done.ac  skip.ac  proc2*.ac
complete_item        notact    notact     done.ac   done.ac  skip.ac  done.ac
compare(minor)       notact    notact     fail*.ac  unopen   unopen   unopen
compare(significant) notact    notact     need*.ap  unopen   unopen   unopen
accept_payload       proc*.ac  unasked    unasked   unasked  unasked  unasked
accept(other)        differs   unasked    unasked   unasked  unasked  unasked
reprocess_items      proc2*.ac proc2*.lo> itbusy    proc2.ac proc2.ac proc2.ac
skip_item            skip*.ac  skip*.lo>  itbusy    itdone   itskip   itdone
record_mutation      notact    notact     keyed     unopen   unopen   unopen
resolve(skip)        settled   settled    settled   settled  settled  settled
resolve(not)         settled   settled    settled   settled  settled  settled
resolve(happened)    settled   settled    settled   settled  settled  settled
reject(skip)         notask    notask     notask    notask   notask   notask
late(applied)        need*.ap  fail*.lo   fail*.ac  done.ac  skip.ac  done.ac
pause(auth)          notact    notact     fail*.ap  done.ap  skip.ap  done.ap
pause(budget)        notact    notact     fail*.ap  done.ap  skip.ap  done.ap
fail_run             notact    notact     fail*.lo  done.lo  skip.lo  done.lo
stop_run             need*.ab  fail*.ab   fail*.ab  done.ab  skip.ab  done.ab
recover_run          notact    notact     fail*.cr> done.cr> skip.cr> done.cr>
commit_run           notact    notact     fail*.co  done.co  skip.co  done.co
resume_run           need*.ac  notpau     notpau    notpau   notpau   notpau
retry_run            notbad    fail*.lo>  notbad    notbad   notbad   notbad
approve_mutation     notask    notask     notask    notask   notask   notask
activate(keep)       need*.ap  fail*.lo>  fail*.ac  done.ac  skip.ac  done.ac
activate(fresh)      busy      busy       busy      busy     busy     busy
activate(select)     proc2*.ac proc2*.lo> itbusy    proc2.ac proc2.ac proc2.ac
start_fresh          busy      busy       busy      busy     busy     busy
make_way             notact    notact     itbusy    done.ab  skip.ab  done.ab
ask_approval         settled   settled    settled   settled  settled  settled
set_brake            need*.ap  fail*.lo   fail*.ac  done.ac  skip.ac  done.ac
note_store           need*.ap  fail*.lo   fail*.ac  done.ac  skip.ac  done.ac
`;

/** Every other command: `same` = accepted, and the item is as it was; else the refusal. */
const onTheWayUnaffected = `
                  none   proc   ready  appl    asked  indet
create_workflow   exists exists exists exists  exists exists
pause_workflow    same   same   same   same    same   same
resume_workflow   isact  isact  isact  isact   isact  isact
archive_workflow  busy   busy   busy   busy    busy   busy
restore_workflow  isact  isact  isact  isact   isact  isact
publish_event     same   same   same   same    same   same
receive_delivery  same   same   same   same    same   same
skip_event        noev   noev   noev   noev    noev   noev
skip_input        noinp  noinp  noinp  noinp   noinp  noinp
reprocess_event   noev   noev   noev   noev    noev   noev
reprocess_input   noinp  noinp  noinp  noinp   noinp  noinp
reset_topic       same   same   same   same    same   same
reset_producer    same   same   same   same    same   same
run_now           busy   busy   busy   busy    busy   busy
skip_firing       same   same   same   same    same   same
start_run         open   open   open   open    open   open
start_retry       unord  unord  unord  unord   unord  unord
finish_prepare    notpg  notpg  notpg  notpg   notact notact
finish_mutate     notpd  notpd  notpd  notpd   notact notact
expire_approval   nomut  nomut  notask notask  early  notask
send_mutation     nomut  nomut  same   settled asks   unready
resend_mutation   nomut  nomut  sure   settled sure   sure
report_unsent     nomut  nomut  notfly settled notfly notfly
settle_mutation   nomut  nomut  notfly settled notfly notfly
answer_reconcile  nomut  nomut  sure   settled sure   sure
acknowledge       noattn noattn noattn noattn  noattn noattn
note_stale        noinp  noinp  noinp  noinp   noinp  noinp
set_envelope      same   same   same   same    same   same
release_brake     brkoff brkoff brkoff brkoff  brkoff brkoff
continue_restored noattn noattn noattn noattn  noattn noattn
take_checkpoint   same   same   same   same    same   same
edit_mutation     nomut  nomut  notask notask  same   notask
${machineRows(6, {
  fail: "nomut nomut notmach unready unready unready",
  recover: "nomut nomut notfly notfly notfly notfly",
})}
`;

const stoppedUnaffected = `
                  differs failed  again   done    skipped stale
create_workflow   exists  exists  exists  exists  exists  exists
pause_workflow    same    same    same    same    same    same
resume_workflow   isact   isact   isact   isact   isact   isact
archive_workflow  busy    busy    busy    busy    busy    busy
restore_workflow  isact   isact   isact   isact   isact   isact
publish_event     same    same    same    same    same    same
receive_delivery  same    same    same    same    same    same
skip_event        noev    noev    noev    noev    noev    noev
skip_input        noinp   noinp   noinp   noinp   noinp   noinp
reprocess_event   noev    noev    noev    noev    noev    noev
reprocess_input   noinp   noinp   noinp   noinp   noinp   noinp
reset_topic       same    same    same    same    same    same
reset_producer    same    same    same    same    same    same
run_now           busy    busy    busy    busy    busy    busy
skip_firing       same    same    same    same    same    same
start_run         open    open    open    open    open    open
start_retry       unord   unord   unord   unord   unord   unord
finish_prepare    notact  notact  notpg   notpg   notpg   notpg
finish_mutate     notact  notact  notpd   notpd   notpd   notpd
expire_approval   notask  notask  notask  notask  notask  notask
send_mutation     settled settled settled settled settled settled
resend_mutation   settled settled settled settled settled settled
report_unsent     settled settled settled settled settled settled
settle_mutation   settled settled settled settled settled settled
answer_reconcile  settled settled settled settled settled settled
acknowledge       noattn  noattn  noattn  noattn  noattn  noattn
note_stale        noinp   noinp   noinp   noinp   noinp   noinp
set_envelope      same    same    same    same    same    same
release_brake     brkoff  brkoff  brkoff  brkoff  brkoff  brkoff
continue_restored noattn  noattn  noattn  noattn  noattn  noattn
take_checkpoint   same    same    same    same    same    same
edit_mutation     notask  notask  notask  notask  notask  notask
${machineRows(6, {
  fail: "unready unready unready unready unready unready",
  recover: "notfly notfly notfly notfly notfly notfly",
})}
`;

/** The bytes that a person was shown beside the ones that were applied. */
function accept(s: Scenario) {
  const asked = s.view.find("items", "i1")?.mutationId ?? null;
  const proposed = asked === null ? null : (s.view.find("mutations", asked)?.proposed ?? null);
  const payloadHash = proposed?.hash ?? "none";
  return { kind: "accept_payload", itemId: "i1", payloadHash, actor: c.actor } as const;
}

const rows: Family["rows"] = {
  enter_item: { command: defaultCommands.enter_item },
  complete_item: { command: (s) => c.completeItem(s.runId) },
  "compare(minor)": { command: (s) => c.comparePayload(s, "minor") },
  "compare(significant)": { command: (s) => c.comparePayload(s) },
  accept_payload: { command: accept },
  "accept(other)": { command: defaultCommands.accept_payload },
  reprocess_items: { command: defaultCommands.reprocess_items },
  skip_item: { command: defaultCommands.skip_item },
  record_mutation: { command: (s) => c.recordMutation(s) },
  "resolve(skip)": { command: (s) => c.resolve(s, { says: "skip" }) },
  "resolve(not)": { command: (s) => c.resolve(s, c.didNotHappen()) },
  "resolve(happened)": { command: defaultCommands.resolve_mutation },
  "reject(skip)": { command: defaultCommands.reject_mutation },
  "late(applied)": { command: defaultCommands.record_late_answer },
  "pause(auth)": {
    command: (s) => c.pauseRun(s, { reason: "auth", failure: c.failure("auth") }),
  },
  "pause(budget)": {
    command: (s) => c.pauseRun(s, { reason: "budget", failure: c.failure("budget") }),
  },
  fail_run: { command: defaultCommands.fail_run },
  stop_run: { command: defaultCommands.stop_run },
  recover_run: { command: defaultCommands.recover_run },
  commit_run: { command: defaultCommands.commit_run },
  resume_run: { command: defaultCommands.resume_run },
  retry_run: { command: defaultCommands.retry_run },
  approve_mutation: { command: defaultCommands.approve_mutation },
  "activate(keep)": { command: () => withJob(2) },
  "activate(fresh)": { command: () => withJob(2, "fresh") },
  "activate(select)": { command: () => withJob(2, { select: [], items: ["i1"] }) },
  ask_approval: { command: defaultCommands.ask_approval },
  start_fresh: { command: defaultCommands.start_fresh },
  make_way: { command: defaultCommands.make_way },
  set_brake: { command: () => c.setBrake() },
  note_store: { command: () => c.noteStore() },
};

function familyOf(table: string, unaffected: string): Family {
  const columns = Object.fromEntries(
    parseGrid(table).columns.map((name) => [name, () => itemState(name as ItemColumn)]),
  );
  return { columns, rows, table, unaffected, outcome: outcomeOf };
}

function outcomeOf(s: Scenario): string {
  const item = s.view.find("items", "i1");
  const run = s.runRow();
  const status = item?.status.slice(0, 4) ?? "-";
  const attempt = item && item.attempt > 1 ? item.attempt : "";
  const where = run.itemId === null ? "" : "*";
  return `${status}${attempt}${where}.${statusAlias[run.status]}${run.retryFrom ? ">" : ""}`;
}

export const itemFamilies: readonly Family[] = [
  familyOf(onTheWay, onTheWayUnaffected),
  familyOf(stopped, stoppedUnaffected),
];
