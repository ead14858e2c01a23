import type { CanonicalValue } from "@holdfast/core";
import type { Way } from "./report.ts";
import type { Scenario } from "./scenario.ts";
import type { Sent, TrialSetup } from "./trial-setup.ts";

/** What the host would take for true. */
export type Told =
  | { readonly says: "applied"; readonly by: "send" | "ask"; readonly result: CanonicalValue }
  | { readonly says: "failed"; readonly by: "send" | "ask"; readonly note: string }
  /** A person is asked. */
  | { readonly says: "unknown" }
  | { readonly says: "unsent" };

/** More than any service here needs; the host has limits of its own. */
const looksMax = 8;

/** Sends once, and finds out about it as the host does. */
export async function findOut(setup: TrialSetup, scenario: Scenario, way: Way): Promise<Told> {
  if (scenario.isAway) await setup.proxy.close();
  const first = await setup.send();
  if (scenario.isAway) await setup.proxy.listen();
  if (scenario.restarts) await setup.service.restart();
  const quietFromMs = setup.clock.nowMs();
  const { visibilityDelayMs } = setup.admitted.guarantee;
  let told = fromSend(first);
  for (let look = 0; told.says === "unknown" && way !== "person" && look < looksMax; look += 1) {
    const quietForMs = setup.clock.nowMs() - quietFromMs;
    told = await lookOnce(setup, way, quietForMs);
    // What was on its way all the time arrives after somebody has looked for it in vain.
    await setup.proxy.release();
    if (told.says === "unknown") await setup.clock.wait(stepMs(visibilityDelayMs));
  }
  await setup.proxy.release();
  return told;
}

function fromSend(sent: Sent): Told {
  switch (sent.says) {
    case "applied":
    case "failed":
      return { ...sent, by: "send" };
    default:
      return { says: sent.says };
  }
}

async function lookOnce(setup: TrialSetup, way: "key" | "ask", quietForMs: number): Promise<Told> {
  if (way === "key") {
    const again = await setup.sendAgain();
    // That this request did nothing proves nothing of the one before it.
    return again.says === "applied" ? { ...again, by: "send" } : { says: "unknown" };
  }
  const found = await setup.ask();
  const { visibilityDelayMs } = setup.admitted.guarantee;
  if (found?.says === "applied") return { says: "applied", by: "ask", result: found.result };
  const isProof = visibilityDelayMs !== null && quietForMs >= visibilityDelayMs;
  if (found?.says !== "not_found" || !isProof) return { says: "unknown" };
  return { says: "failed", by: "ask", note: found.note };
}

function stepMs(visibilityDelayMs: number | null): number {
  return Math.ceil((visibilityDelayMs ?? 0) / 3) + 1;
}
