import type { Store } from "@holdfast/core";
import { verify } from "@holdfast/host";
import { log } from "./host-log.ts";

/** What a start may take its time for: about a second. Longer journals want a checkpoint. */
const recordsMax = 20_000;

/** A store that is not as recorded is never run on. False = there are problems. */
export async function lookFirst(store: Store): Promise<boolean> {
  const onMoving = (workflow: string) =>
    log.say(`${workflow}: not judged, because another host is at work on it`, { workflow });
  const onLong = (workflow: string, records: number) =>
    log.say(
      `${workflow}: not verified but for what its runs hold, for ${records} records have come ` +
        "since its last checkpoint; while the host is stopped, `holdfast verify` does it, " +
        "and `holdfast checkpoint` makes one",
      { workflow },
    );
  const reports = await verify(store, { full: false, onMoving, recordsMax, onLong });
  const problems = reports.flatMap((report) => report.problems);
  for (const { workflow, code, position, note } of problems) {
    const said = `${workflow}: ${code} at record ${position}: ${note}`;
    log.refuse(said, code, { workflow, position });
  }
  if (problems.length > 0) return false;
  const records = reports.reduce((sum, { recordCount }) => sum + recordCount, 0);
  const workflows = reports.length === 1 ? "1 workflow" : `${reports.length} workflows`;
  log.say(`${workflows}, ${records} records since the last checkpoint: all as recorded`);
  return true;
}
