import type { RefusalCode } from "../journal/refusal.ts";
import type { LedgerState } from "../mutation/ledger-state.ts";
import type { RunPhase } from "../run/run-phase.ts";
import type { RunStatus } from "../run/run-status.ts";
import type { EventStatus } from "../topic/event-status.ts";

/** Short words, so that a table fits on a page. One alias, one meaning, in all tables. */
export const ledgerAlias: Readonly<Record<LedgerState, string>> = {
  awaiting_approval: "await",
  ready: "ready",
  in_flight: "fly",
  needs_reconcile: "recon",
  indeterminate: "indet",
  applied: "appl",
  failed: "fail",
};

export const statusAlias: Readonly<Record<RunStatus, string>> = {
  active: "ac",
  "paused:transient": "tr",
  "paused:approval": "ap",
  "paused:reconciliation": "rc",
  "paused:user": "us",
  "failed:logic": "lo",
  "failed:internal": "in",
  crashed: "cr",
  aborted: "ab",
  committed: "co",
};

export const phaseAlias: Readonly<Record<RunPhase, string>> = {
  preparing: "pg",
  prepared: "pd",
  mutating: "mg",
  mutated: "md",
  emitting: "em",
  executing: "ex",
  committed: "cm",
};

export const eventAlias: Readonly<Record<EventStatus, string>> = {
  pending: "pe",
  reserved: "re",
  consumed: "co",
  skipped: "sk",
};

/** A cell with one of these words is a refusal by that name. */
export const refusalAliases: Readonly<Record<string, RefusalCode>> = {
  exists: "workflow_exists",
  absent: "workflow_not_created",
  halted: "workflow_not_active",
  haserr: "workflow_has_error",
  ispau: "workflow_is_paused",
  isact: "workflow_is_active",
  isarc: "workflow_is_archived",
  busy: "workflow_has_open_run",
  notnew: "version_not_newer",
  notop: "topic_not_declared",
  holds: "topic_has_reserved_event",
  noev: "event_not_found",
  evpend: "event_is_pending",
  evheld: "event_is_reserved",
  evdone: "event_already_consumed",
  evskip: "event_already_skipped",
  behind: "event_behind_mutation",
  noinp: "input_not_found",
  inkept: "input_not_skippable",
  nohand: "handler_not_found",
  norun: "run_not_found",
  notact: "run_not_active",
  notpau: "run_not_paused",
  notbad: "run_not_failed",
  closed: "run_closed",
  later: "run_is_due_later",
  open: "run_open_already",
  wait: "run_waits_for_outcome",
  unord: "retry_not_ordered",
  order: "retry_already_ordered",
  notpg: "phase_must_be_preparing",
  notpd: "phase_must_be_prepared",
  notem: "phase_must_be_emitting",
  notpen: "reservation_not_pending",
  empty: "nothing_reserved",
  nomut: "mutation_not_found",
  taken: "mutation_already_recorded",
  settled: "mutation_settled",
  notask: "mutation_not_awaiting_approval",
  asks: "mutation_awaits_approval",
  unedited: "nothing_edited",
  unready: "mutation_not_ready",
  notfly: "mutation_not_in_flight",
  inflight: "mutation_in_flight",
  sure: "mutation_not_uncertain",
  hostasks: "mutation_not_indeterminate",
  early: "mutation_waits",
  decided: "mutation_resolved",
  notours: "not_the_sender",
  differs: "payload_differs",
  expired: "approval_expired",
  othenv: "envelope_changed",
  brake: "brake_is_on",
  brkoff: "brake_is_off",
  unans: "restore_not_answered",
  noted: "store_noted_already",
  cantask: "cannot_reconcile",
  over: "retention_over",
  noattn: "attention_not_found",
  fresh: "input_not_stale",
  keyed: "mutation_key_taken",
  notjob: "handler_not_job",
  noitem: "item_not_found",
  unopen: "item_not_open",
  itdone: "item_is_done",
  itbusy: "item_is_processing",
  itskip: "item_already_skipped",
  unasked: "payload_not_questioned",
  unappl: "mutation_not_applied",
  nomach: "workflow_has_no_machines",
  notmach: "mutation_not_of_machine",
  noprop: "proposal_not_found",
  untried: "proposal_not_shadowed",
  unagreed: "proposal_not_approved",
  final: "proposal_is_final",
  oldbase: "proposal_base_stale",
  another: "proposal_differs",
  unaskd: "proposal_not_asked",
};

export function aliasOfRefusal(code: RefusalCode): string {
  const found = Object.entries(refusalAliases).find(([, name]) => name === code);
  return found?.[0] ?? code;
}
