import { type CanonicalValue, encodeCanonical } from "@holdfast/core";
import type { Told } from "./find-out.ts";
import type { FaultCode, Way } from "./report.ts";
import type { Scenario } from "./scenario.ts";
import type { Subject } from "./subject.ts";
import type { TrialSetup } from "./trial-setup.ts";

export type Found = { readonly code: FaultCode; readonly note: string };

type Case = {
  readonly subject: Subject;
  readonly setup: TrialSetup;
  readonly scenario: Scenario;
  readonly way: Way;
  readonly told: Told;
};

/** Compares what the host would take for true with what the service has counted. */
export async function judge(given: Case): Promise<readonly Found[]> {
  const { setup, told } = given;
  const bySending = setup.changesBySending();
  const found: (Found | null)[] = [];
  if (told.says === "applied" && told.by === "send" && bySending === 0) {
    found.push({ code: "applied_untrue", note: "said by execute, and nothing was done" });
  }
  if (told.says === "failed" && bySending > 0) found.push(await untrueFailure(given, told));
  if (told.says === "unknown") found.push(undecided(given, bySending));
  if (told.says === "applied" && told.by === "ask") {
    found.push(await differing(setup, told.result));
  }
  found.push(repeated(given, bySending));
  return found.filter((each) => each !== null);
}

async function untrueFailure(
  { subject, setup, scenario }: Case,
  { by, note }: Extract<Told, { says: "failed" }>,
): Promise<Found> {
  if (by === "send") return { code: scenario.failedCode ?? "failed_untrue", note };
  await setup.clock.wait(subject.showsAfterMs + 1);
  const later = await setup.ask();
  return later?.says === "applied"
    ? { code: "not_found_too_early", note: `${note}; it was found later` }
    : { code: "not_found_untrue", note: `${note}; it is there` };
}

/** Asking a person is never wrong, but then the label promises too much. */
function undecided({ setup, way }: Case, changeCount: number): Found | null {
  const { visibilityDelayMs } = setup.admitted.guarantee;
  if (way === "person" || (changeCount === 0 && visibilityDelayMs === null)) return null;
  const truth = changeCount === 0 ? "was not done" : "was done";
  return { code: "never_finds_out", note: `it ${truth}, and a person would have to say so` };
}

/** Execute is given the answer that was lost: what it makes of it is what it would have said. */
async function differing(setup: TrialSetup, result: CanonicalValue): Promise<Found | null> {
  if (!setup.proxy.hasAnswer) return null;
  setup.proxy.plan(["replay"]);
  const wouldHave = await setup.send();
  if (wouldHave.says === "applied" && textOf(wouldHave.result) === textOf(result)) return null;
  const [one, other] = [JSON.stringify(result), JSON.stringify(wouldHave)];
  return { code: "result_differs", note: `reconcile: ${one}, execute: ${other}` };
}

function textOf(value: CanonicalValue): string {
  return Buffer.from(encodeCanonical(value)).toString("hex");
}

/** Without a key nobody can tell a request that arrives twice from two. */
function repeated({ setup, scenario }: Case, changeCount: number): Found | null {
  const isTold = setup.admitted.guarantee.idempotency !== null;
  const isNetwork = scenario.plan.includes("duplicate") && !isTold;
  if (changeCount <= 1 || isNetwork) return null;
  return { code: "changed_twice", note: `it was done ${changeCount} times` };
}
