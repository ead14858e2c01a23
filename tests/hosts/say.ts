import { writeSync } from "node:fs";
import { type HistoryLine, historyDescriptor } from "./history-line.ts";

export function say(line: HistoryLine): void {
  writeSync(historyDescriptor, `${JSON.stringify(line)}\n`);
}
