import type { Treatment } from "./faulty-proxy.ts";
import type { FaultCode, Way } from "./report.ts";

export type Scenario = {
  readonly name: string;
  /** What becomes of the first requests on their way; later ones pass. */
  readonly plan: readonly Treatment[];
  /** The connector's patience in this scenario is short. */
  readonly isSlow?: true;
  /** The host gives up while the service has the request. */
  readonly isGivenUp?: true;
  /** Nobody listens when it is sent. */
  readonly isAway?: true;
  /** The last check before sending says no. */
  readonly isHeldBack?: true;
  /** The service restarts after it. */
  readonly restarts?: true;
  /** Reads show changes as late as this service ever does. */
  readonly isStale?: true;
  /** Nobody asks otherwise; absent = however the host finds out. */
  readonly onlyBy?: Way;
  /** What it is called when `execute` says of a change that happened that it did not. */
  readonly failedCode?: FaultCode;
};

export const passes: Scenario = { name: "all is well", plan: [] };

/** So many that somebody looks in vain beyond the visibility delay, and some looks are left. */
const sickReads: readonly Treatment[] = Array(5).fill("sick_answer");

/** In each the truth is known at the end: the service counted. */
export const scenarios: readonly Scenario[] = [
  { name: "the last check says no", plan: [], isHeldBack: true },
  { name: "nobody listens", plan: [], isAway: true },
  { name: "the request is lost", plan: ["drop_request"] },
  { name: "the answer is lost", plan: ["drop_answer"] },
  // One who goes there makes a second request, and may take a sign-in page for its answer.
  { name: "it is to be sent elsewhere", plan: ["redirect"] },
  { name: "two answers are lost", plan: ["drop_answer", "drop_answer"] },
  { name: "the answer is cut off", plan: ["cut_answer"] },
  {
    name: "a server error after it was done",
    plan: ["error_answer"],
    failedCode: "server_error_as_failed",
  },
  {
    name: "done when nobody waited any more",
    plan: ["hold"],
    isSlow: true,
    failedCode: "timeout_as_failed",
  },
  {
    name: "the host gives up, and it is done later",
    plan: ["hold"],
    isGivenUp: true,
    failedCode: "timeout_as_failed",
  },
  { name: "the request arrives twice", plan: ["duplicate"] },
  { name: "the service restarts after it was done", plan: ["drop_answer"], restarts: true },
  { name: "reads are late", plan: ["drop_answer"], isStale: true },
  { name: "reads are late, and the request is lost", plan: ["drop_request"], isStale: true },
  { name: "reads are errors in a 200", plan: ["drop_answer", ...sickReads], onlyBy: "ask" },
  {
    name: "reads are errors in a 200, and the request is lost",
    plan: ["drop_request", ...sickReads],
    onlyBy: "ask",
  },
];
