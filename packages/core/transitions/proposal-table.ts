import * as c from "./command-builder.ts";
import type { Family } from "./family.ts";
import { Scenario } from "./scenario.ts";

/**
 * Status of proposal 1 afterwards, > when it is to be applied. `waits`: it is approved, and to be
 * applied as soon as it can be; `stale`: approved, but another version became active meanwhile;
 * `late`: it waited when that happened.
 */
const table = `
              none      submitted shadowed approved  waits     stale     late      rejected applied
propose       submitted submitted shadowed approved  approved> approved  approved> rejected applied
propose(old)  oldbase   oldbase   oldbase  oldbase   oldbase   oldbase   oldbase   oldbase  oldbase
shadow        noprop    shadowed  shadowed approved  approved> approved  approved> final    final
shadow(other) noprop    another   another  another   another   another   another   final    final
approve       noprop    untried   approved approved  approved> approved  approved> final    final
reject        noprop    untried   rejected rejected  rejected  rejected  rejected  final    final
apply         noprop    unagreed  unagreed approved> approved> oldbase   oldbase   final    final
swap          noprop    unaskd    unaskd   unaskd    applied   unaskd    oldbase   unaskd   unaskd
swap(other)   noprop    unaskd    unaskd   unaskd    another   unaskd    oldbase   unaskd   unaskd
hold          unaskd    unaskd    unaskd   unaskd    approved  unaskd    approved  unaskd   unaskd
hold(waits)   unaskd    unaskd    unaskd   unaskd    approved> unaskd    approved> unaskd   unaskd
activate      none      submitted shadowed approved  approved> approved  approved> rejected applied
`;

const columns = "none submitted shadowed approved waits stale late rejected applied";

/** Which refusal the other commands meet, whatever became of the proposal; `same`: none. */
const others = {
  exists: "create_workflow",
  isact: "resume_workflow restore_workflow",
  same: `pause_workflow archive_workflow run_now skip_firing reset_producer set_envelope set_brake
    take_checkpoint publish_event receive_delivery reset_topic start_run note_store commit_frame
    begin_turn fail_machines record_intent refuse_intent withdraw_intent send_to_machine
    cancel_intent restart_cell snapshot_machines`,
  noev: "skip_event reprocess_event",
  noinp: "skip_input reprocess_input note_stale",
  norun: `start_retry finish_prepare finish_mutate commit_run pause_run resume_run fail_run
    retry_run stop_run recover_run record_mutation enter_item complete_item compare_payload
    make_way`,
  nomut: `approve_mutation reject_mutation edit_mutation ask_approval expire_approval send_mutation
    resend_mutation report_unsent settle_mutation answer_reconcile resolve_mutation
    record_late_answer fail_intent await_executor recover_intent`,
  noattn: "acknowledge continue_restored",
  brkoff: "release_brake",
  noitem: "accept_payload reprocess_items skip_item",
  nohand: "start_fresh",
};

const unaffected = [
  columns,
  ...Object.entries(others).flatMap(([cell, kinds]) =>
    kinds.split(/\s+/).map((kind) => `${kind} ${`${cell} `.repeat(9)}`),
  ),
].join("\n");

function begun(): Scenario {
  return new Scenario()
    .run({ kind: "create_workflow", name: "w" })
    .run({ ...c.version(1, 0), machines: true, definitions: ["w/order@1 old"] });
}

const submitted = () => begun().run(c.proposeVersion());
const shadowed = () => submitted().run(c.shadowVersion());
const approved = () => shadowed().run(c.decideVersion("approve"));
const waiting = () => approved().run(c.applyVersion());
const overtaking = { ...c.version(1, 1), definitions: ["w/order@1 old"] };

export const proposalFamily: Family = {
  columns: {
    none: begun,
    submitted,
    shadowed,
    approved,
    waits: waiting,
    stale: () => approved().run(overtaking),
    late: () => waiting().run(overtaking),
    rejected: () => shadowed().run(c.decideVersion("reject")),
    applied: () => waiting().run(c.swapVersion()),
  },
  rows: {
    propose: {
      command: ({ view }) => {
        const { scriptHash, versionMajor } = view.load("workflows");
        return c.proposeVersion(scriptHash ?? "", versionMajor + 1);
      },
    },
    "propose(old)": { command: () => c.proposeVersion("script-0.9") },
    shadow: { command: () => c.shadowVersion() },
    "shadow(other)": { command: () => c.shadowVersion("another") },
    approve: { command: () => c.decideVersion("approve") },
    reject: { command: () => c.decideVersion("reject") },
    apply: { command: () => c.applyVersion() },
    swap: { command: () => c.swapVersion() },
    "swap(other)": { command: () => ({ ...c.swapVersion(), body: new Uint8Array(3) }) },
    hold: { command: () => c.holdApply() },
    "hold(waits)": { command: () => c.holdApply(true) },
    activate: { command: ({ view }) => c.activateNext(view.load("workflows")) },
  },
  table,
  unaffected,
  outcome: ({ view }) => {
    const status = view.find("proposals", 1)?.status ?? "none";
    return `${status}${view.load("workflows").applying === 1 ? ">" : ""}`;
  },
};
