import { type CanonicalValue, everyBrake, type Store } from "@holdfast/core";
import type { BrakeAllAnswer } from "@holdfast/protocol";
import { type Asked, ask } from "./asking.ts";
import { ApiProblem } from "./problem.ts";

const workflowsAtOnce = 500;

/**
 * The brake on every workflow, or off again; a brake that one of them has of its own stays. It is
 * in every inbox before anything is answered, and each owner looks there before it sends again. No
 * tag is of all of them, so none is compared.
 */
export async function brakeAll(
  store: Store,
  { isOn, reason }: { readonly isOn: boolean; readonly reason: string },
  asked: Asked,
): Promise<BrakeAllAnswer> {
  const body = { operation: everyBrake, ...(isOn ? { reason } : {}) };
  const counts = { changed: 0, unchanged: 0, waiting: 0 };
  for (let after: string | null = null; ; ) {
    const page = await store.listWorkflows(after, workflowsAtOnce);
    const said = await Promise.all(
      page.map(({ workflow }) => askOne(store, workflow, { ...asked, expected: null, body })),
    );
    for (const each of said) counts[each] += 1;
    if (page.length < workflowsAtOnce) return counts;
    after = page.at(-1)?.workflow ?? null;
  }
}

async function askOne(
  store: Store,
  workflow: string,
  asked: Asked & { readonly body: Readonly<Record<string, CanonicalValue>> },
): Promise<keyof BrakeAllAnswer> {
  try {
    const { accepted } = await ask(store, workflow, asked);
    return accepted === null ? "waiting" : "changed";
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error;
    const { refusal } = error.more;
    // A workflow without a version has nothing that could be sent.
    const same = ["brake_is_on", "brake_is_off", "workflow_not_created"];
    if (refusal !== undefined && same.includes(refusal)) return "unchanged";
    throw error;
  }
}
