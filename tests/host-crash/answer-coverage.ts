import type { AnswerOf, AttentionKind } from "@holdfast/core";
import type { Mood } from "../end-to-end/order-shop.ts";
import type { Course } from "./life.ts";

/** A course of its own, or the plain life where the shop is in this mood, or why there is none. */
type Covered =
  | { readonly course: Course }
  | { readonly plainly: Mood }
  | { readonly notTried: string };

const noMachine =
  "no life of a machine asks it yet; tests/end-to-end/machine-grants and machines kill hosts there";
const onlySeen = "it closes the question and decides nothing: what is sent depends on other facts";
const noReplay = "the items of a life are the same when they are run again";

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
    cancel: { notTried: noMachine },
    redeliver: { notTried: noMachine },
    drop: { notTried: noMachine },
    acknowledge: { notTried: onlySeen },
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
    accept_cached: { notTried: noReplay },
    reprocess: { notTried: noReplay },
    skip: { notTried: noReplay },
  },
};
