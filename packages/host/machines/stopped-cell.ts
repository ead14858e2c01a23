import { type AttentionRow, askedCell, faultOfCell } from "@holdfast/core";
import { findInstance, unhex } from "@holdfast/core/machine";
import type { JsonValue } from "../queries/answers.ts";
import { type ReadParts, readKernel } from "./kept-kernels.ts";
import { type ShownMail, shownMail } from "./show-cell.ts";
import { shownKey } from "./show-records.ts";

/** A cell that a person is asked about, with what it takes to answer. */
export type StoppedCell = {
  readonly machine: string;
  readonly key: JsonValue;
  /** What was wrong: the code of the fault, and what the script said. */
  readonly fault: string;
  /** How much waits in its mailbox, what it stopped on among it. */
  readonly waiting: number;
  /** What it stopped on; null = an answer that its events have no place for. */
  readonly event: ShownMail | null;
};

/** Null = the question is about something else, or the cell goes on. */
export async function showStoppedCell(
  parts: ReadParts,
  question: Pick<AttentionRow, "kind" | "note" | "subject">,
): Promise<StoppedCell | null> {
  const asked = askedCell(question);
  if (asked === null) return null;
  const { machine } = asked;
  const key = asked.key === null ? null : unhex(asked.key);
  return readKernel(parts, async ({ kernel, driver }) => {
    const found = await driver.drive(kernel, findInstance(kernel, { machine, key }));
    if (found === null || found.failed === null) return null;
    const [first] = found.mailbox;
    return {
      machine,
      key: shownKey(key),
      fault: faultOfCell(question),
      waiting: found.mailboxCount,
      event: found.failed === "step" && first !== undefined ? shownMail(first) : null,
    };
  });
}
