import { randomUUID } from "node:crypto";
import { encodeCanonical, everyBrake, type Store } from "@holdfast/core";
import type { BrakeAllAnswer } from "@holdfast/protocol";
import { type Asked, waitForVerdict } from "./asking.ts";
import { ApiProblem } from "./problem.ts";

const workflowsAtOnce = 500;

/**
 * The brake on all sending, or off again; a brake that a workflow has of its own stays. Once the
 * store has it no host begins to send any more. Then every workflow is told, and only after that
 * their verdicts are waited for, as long as the caller likes, and counted. No tag is of all of
 * them, so none is compared.
 */
export async function brakeAll(
  store: Store,
  { isOn, reason }: { readonly isOn: boolean; readonly reason: string },
  asked: Asked,
): Promise<BrakeAllAnswer> {
  requireReachOfAll(asked);
  const { commandId: key, actor, kind, waitMs } = asked;
  const body = encodeCanonical({ operation: everyBrake, ...(isOn ? { reason } : {}) });
  const command = { commandId: randomUUID(), actor, kind, body, at: Date.now() };
  const { commandId, changed } = await store.turnStoreBrake({ isOn, reason, key, command });
  const until = performance.now() + waitMs;
  const counts = { changed: 0, unchanged: 0, waiting: 0 };
  const told = await tellAll(store);
  const untold = told.find(({ error }) => error !== null);
  // It would stay held, and nobody would know.
  if (!isOn && untold !== undefined) throw untold.error;
  for (const each of told) {
    const left = { commandId, waitMs: Math.max(0, until - performance.now()) };
    const said = each.error === null ? await waitForVerdict(store, each.workflow, left) : null;
    if (said === null) counts.waiting += 1;
    else counts[changed && said.accepted ? "changed" : "unchanged"] += 1;
  }
  return counts;
}

/** `error` null = it is in its inbox. */
type Told = { readonly workflow: string; readonly error: unknown };

/** One that cannot be told now sends nothing all the same, and hears of it when it is about to. */
async function tellAll(store: Store): Promise<readonly Told[]> {
  const all: Told[] = [];
  for (let after: string | null = null; ; ) {
    const page = await store.listWorkflows(after, workflowsAtOnce);
    const told = page.map(({ workflow }) =>
      store.tellOfStoreBrake(workflow).then(
        () => ({ workflow, error: null }),
        (error: unknown) => ({ workflow, error }),
      ),
    );
    all.push(...(await Promise.all(told)));
    if (page.length < workflowsAtOnce) return all;
    after = page.at(-1)?.workflow ?? null;
  }
}

/** Before anything is changed: it is about workflows, too, that there are not yet. */
function requireReachOfAll({ actor, reach }: Asked): void {
  if (reach === null) return;
  throw new ApiProblem(403, "ROLE_TOO_LOW", `All workflows are not within the reach of ${actor}.`, {
    remedy: "Brake the workflows it reaches one by one, or ask with a token that reaches all.",
  });
}
