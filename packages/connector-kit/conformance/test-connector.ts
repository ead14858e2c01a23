import { type Guarantee, labelOf } from "../guarantee.ts";
import { findOut } from "./find-out.ts";
import { judge } from "./judge.ts";
import type { ConformanceReport, Fault, Trial, Way } from "./report.ts";
import { passes, type Scenario, scenarios } from "./scenario.ts";
import type { Subject } from "./subject.ts";
import { type OnFault, TrialSetup } from "./trial-setup.ts";

/** Time really passes here, so it is short, and longer only if need be. */
const shortestMs = 150;
const longestMs = 5_000;

type Tried = { readonly trial: Trial; readonly faults: readonly Fault[] };

/**
 * Makes the change over and over while the network and the service misbehave, finds out about it
 * as the host would, and compares with what really happened. The label is earned, or it is not.
 */
export async function testConnector(subject: Subject): Promise<ConformanceReport> {
  const guarantee = await guaranteeOf(subject);
  const claimed = labelOf(guarantee);
  const first = await attempt(subject, passes, "person");
  const tried: Tried[] = [withSanity(first)];
  if (tried[0]?.faults.length === 0) {
    for (const way of waysOf(guarantee)) {
      const those = scenarios.filter(({ onlyBy = way }) => onlyBy === way);
      for (const scenario of those) tried.push(await attempt(subject, scenario, way));
    }
  }
  const faults = tried.flatMap((each) => each.faults);
  const trials = tried.map(({ trial }) => trial);
  const earned = faults.length === 0 ? claimed : null;
  return { subject: subject.name, claimed, earned, trials, faults };
}

/** After retention, and where there is none, the host asks; so both have to hold. */
function waysOf({ idempotency, canReconcile }: Guarantee): readonly Way[] {
  const ways: Way[] = [];
  if (idempotency !== null) ways.push("key");
  if (canReconcile) ways.push("ask");
  return ways.length === 0 ? ["person"] : ways;
}

async function guaranteeOf(subject: Subject): Promise<Guarantee> {
  const onFault = () => {};
  const setup = await TrialSetup.open(subject, passes, { onFault, shortMs: shortestMs });
  try {
    return setup.admitted.guarantee;
  } finally {
    await setup.close();
  }
}

async function attempt(
  subject: Subject,
  scenario: Scenario,
  way: Way,
  shortMs = shortestMs,
): Promise<Tried> {
  const faults: Fault[] = [];
  const onFault: OnFault = (code, note) => {
    faults.push({ code, scenario: scenario.name, way, note });
  };
  const setup = await TrialSetup.open(subject, scenario, { onFault, shortMs });
  try {
    const told = await findOut(setup, scenario, way);
    // On a busy machine it gave up before it had begun, and the scenario did not happen.
    if (scenario.isSlow && setup.proxy.requests.length === 0 && shortMs < longestMs) {
      return await attempt(subject, scenario, way, shortMs * 4);
    }
    const changeCount = setup.service.changeCount();
    const requestCount = setup.proxy.requests.length;
    for (const { code, note } of await judge({ subject, setup, scenario, way, told })) {
      onFault(code, note);
    }
    const { says } = told;
    const trial = { scenario: scenario.name, way, says, changeCount, requestCount };
    return { trial, faults: causesOf(faults) };
  } finally {
    await setup.close();
  }
}

/** A change that was made twice under two keys has one cause; so has what an error "proved". */
function causesOf(faults: readonly Fault[]): readonly Fault[] {
  const misled = faults.filter(({ code }) => code === "error_as_proof");
  if (misled.length > 0) return misled;
  const isKeyed = faults.some(({ code }) => code === "key_changes");
  return isKeyed ? faults.filter(({ code }) => code !== "changed_twice") : faults;
}

/** What does nothing when all is well would pass every other trial. */
function withSanity({ trial, faults }: Tried): Tried {
  const { scenario, way, says, changeCount } = trial;
  if (says === "applied" && changeCount === 1) return { trial, faults };
  const note = `it says ${says}, and ${changeCount} changes were made`;
  return { trial, faults: [...faults, { code: "does_not_work", scenario, way, note }] };
}
