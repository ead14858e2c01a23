import { HostError } from "@holdfast/core/host-error";
import { HostProblem } from "./host-client.ts";

/** Stable: scripts may rely on them. */
export const exitCodes = {
  ok: 0,
  /** The command ran and found something wrong. */
  problems: 1,
  /** The command line made no sense. */
  usage: 2,
  /** The command could not be carried out; the message has a code with a page in docs/errors. */
  failed: 3,
} as const;

/** Nothing was opened; the reader has to say it otherwise. */
export function reportUsage(message: string, json: boolean): number {
  if (json) console.log(JSON.stringify({ error: { code: "USAGE", message } }));
  else console.error(`error: ${message}`);
  return exitCodes.usage;
}

/** A running host said no; what it says is for people already. */
function reportProblem({ problem }: HostProblem, json: boolean): number {
  const { code, detail, title, remedy = "", problems = [] } = problem;
  if (json) {
    console.log(JSON.stringify({ error: { ...problem, message: detail } }));
    return exitCodes.failed;
  }
  for (const each of problems) console.error(JSON.stringify(each));
  console.error(`${code}: ${detail} ${title} ${remedy}`.trimEnd());
  console.error(`See docs/errors/${code}.md`);
  return exitCodes.failed;
}

/** A HostError is for people; anything else is a bug of ours and keeps its stack. */
export function reportError(error: unknown, json: boolean): number {
  if (error instanceof HostProblem) return reportProblem(error, json);
  if (!(error instanceof HostError)) {
    console.error(error);
    if (json) console.log(JSON.stringify({ error: { code: "BUG", message: String(error) } }));
    return exitCodes.failed;
  }
  const { code, message, remedy, retry, details } = error;
  if (json) console.log(JSON.stringify({ error: { code, message, remedy, retry, details } }));
  else console.error(`${message}\nSee docs/errors/${code}.md`);
  return exitCodes.failed;
}
