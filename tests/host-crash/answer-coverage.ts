import type { AnswerOf, AttentionKind } from "@holdfast/core";
import type { Mood } from "../end-to-end/order-shop.ts";
import type { Course } from "./life.ts";

/** A course of its own, or the plain life where the shop is in this mood. */
type Covered = { readonly course: Course } | { readonly plainly: Mood };

/** Every answer that a person can give, and the lives in which hosts die over it. */
export const answerCoverage: {
  readonly [K in AttentionKind]: Readonly<Record<AnswerOf<K>, Covered>>;
} = {
  approval: {
    approve: { course: "approved" },
    edit: { course: "edited" },
    reject: { course: "rejected" },
  },
  outcome_unknown: {
    try_again: { course: "asked again" },
    did_not_happen: { plainly: "dies" },
    happened: { plainly: "drops the answer" },
    skip: { course: "skipped" },
  },
  action_needed: {
    resume: { course: "resumed" },
    stop: { course: "signed out, stopped" },
    cancel: { course: "held, canceled" },
    redeliver: { course: "poisoned, redelivered" },
    drop: { course: "poisoned, dropped" },
    acknowledge: { course: "stale, acknowledged" },
  },
  retries_exhausted: {
    resume: { course: "exhausted, resumed" },
    stop: { course: "exhausted, stopped" },
  },
  run_failed: {
    retry: { plainly: "refuses" },
    stop: { course: "failed, stopped" },
  },
  crash_loop: {
    resume: { course: "crashed, resumed" },
    stop: { course: "crashed, stopped" },
  },
  happened_after_all: {
    acknowledge: { course: "contradicted, acknowledged" },
  },
  ledger_may_be_older_than_world: {
    continue: { course: "restored, sent" },
  },
  may_have_happened: {
    send: { course: "restored, sent" },
    happened: { course: "restored, happened" },
    skip: { course: "restored, skipped" },
  },
  payload_differs: {
    accept_cached: { course: "differs, accepted" },
    reprocess: { course: "differs, done anew" },
    skip: { course: "differs, skipped" },
  },
};
