import { HostError, type Store } from "@holdfast/core";
import type { VerifyReport } from "./verify-report.ts";
import { verifyWorkflow } from "./verify-workflow.ts";

const triesMax = 3;

/**
 * For a store that other hosts may be working on. Damage is still there at the next look; what
 * only moved is not. Null = it never stood still.
 */
export async function verifyAtRest(
  store: Store,
  workflow: string,
  options: { readonly full: boolean },
): Promise<VerifyReport | null> {
  let found: VerifyReport | null = null;
  for (let tries = 1; tries <= triesMax; tries += 1) {
    const report = await verifyWorkflow(store, workflow, options).catch(nullIfChanged);
    if (report?.problems.length === 0) return report;
    // Seen while it stood still: moving on does not mend it.
    found = report ?? found;
  }
  return found;
}

function nullIfChanged(error: unknown): null {
  if (error instanceof HostError && error.code === "STORE_CHANGED") return null;
  throw error;
}
