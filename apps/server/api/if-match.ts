import type { ApiContext } from "./api-env.ts";
import { ApiProblem } from "./problem.ts";

/** What the caller saw, if it says so; null = it does not mind what is there now. */
export function expectedOf(context: ApiContext): string | null {
  const given = context.req.header("if-match");
  if (given === undefined || given.trim() === "*") return null;
  return given.trim().replace(/^"(.*)"$/s, "$1");
}

/**
 * Refuses what was decided on something that has changed since. What is asked for is then judged
 * by the workflow's owner, who refuses by itself what no longer fits.
 */
export function requireMatch(expected: string | null, found: string | null, what: string): void {
  if (expected === null || expected === found) return;
  const detail = `${what} is ${found ?? "not there"} now, and not ${expected}.`;
  throw new ApiProblem(412, "COMMAND_REFUSED", detail, {
    refusal: "revision_stale",
    remedy: "Look at it again, and ask once more if it is still right.",
  });
}
