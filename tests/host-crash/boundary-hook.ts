/**
 * Loaded before the shipped program. Writes down every boundary that the host passes, and sends
 * the process a signal at the one it is told.
 */
import { subscribe } from "node:diagnostics_channel";
import { appendFileSync } from "node:fs";

const { HOLDFAST_BOUNDARY_LOG: log, HOLDFAST_BOUNDARY: wanted } = process.env;
const signal = process.env["HOLDFAST_BOUNDARY_SIGNAL"] as NodeJS.Signals | undefined;
const passed = new Map<string, number>();

subscribe("holdfast:boundary", (given) => {
  const name = String(given);
  const count = (passed.get(name) ?? 0) + 1;
  passed.set(name, count);
  const boundary = `${name} #${count}`;
  if (log !== undefined && log !== "") appendFileSync(log, `${boundary}\n`);
  if (boundary === wanted && signal !== undefined) process.kill(process.pid, signal);
});
