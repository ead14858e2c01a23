import type { Instant, Store } from "@holdfast/core";
import { listWedges, verify } from "@holdfast/host";
import type { ScriptedOutside } from "./scripted-outside.ts";

/**
 * What must never be, in words: tables that are not the fold of the journal, something that waits
 * and no rule explains, a change twice.
 */
export async function findUnsound(
  store: Store,
  workflow: string,
  { now, applied }: { readonly now: Instant; readonly applied: ScriptedOutside["applied"] },
): Promise<readonly string[]> {
  const reports = await verify(store, { full: true });
  const faults = reports.flatMap(({ problems }) =>
    problems.map(({ code, position, note }) => `${code} at record ${position}: ${note}`),
  );
  for (const { id, note } of await listWedges(store, workflow, now)) {
    faults.push(`${id} is stuck: ${note}`);
  }
  for (const [key, { name, count }] of applied) {
    if (count > 1) faults.push(`${name} with the key ${key} happened ${count} times`);
  }
  return faults;
}
