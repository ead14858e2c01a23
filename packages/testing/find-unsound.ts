import type { Store } from "@holdfast/core";
import { verify } from "@holdfast/host";
import type { ScriptedOutside } from "./scripted-outside.ts";

/** What must never be, in words: tables that are not the fold of the journal, a change twice. */
export async function findUnsound(
  store: Store,
  applied: ScriptedOutside["applied"],
): Promise<readonly string[]> {
  const reports = await verify(store, { full: true });
  const faults = reports.flatMap(({ problems }) =>
    problems.map(({ code, position, note }) => `${code} at record ${position}: ${note}`),
  );
  for (const [key, { name, count }] of applied) {
    if (count > 1) faults.push(`${name} with the key ${key} happened ${count} times`);
  }
  return faults;
}
