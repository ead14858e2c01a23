import type { ApiContext } from "./api-env.ts";
import { ApiProblem } from "./problem.ts";

/** What the caller saw, if it says so; null = it does not mind what is there now. */
export function expectedOf(context: ApiContext): string | null {
  const given = context.req.header("if-match");
  if (given === undefined || given.trim() === "*") return null;
  return given.trim().replace(/^"(.*)"$/s, "$1");
}

/**
 * Early, where much would be done before the workflow's owner is asked. The owner compares once
 * more, when the command's turn has come: that is the comparison that counts.
 */
export function requireMatch(expected: string | null, found: string | null, what: string): void {
  if (expected === null || expected === found) return;
  throw stale(`${what} is ${found ?? "not there"} now, and not ${expected}.`);
}

export function stale(detail: string): ApiProblem {
  return new ApiProblem(412, "COMMAND_REFUSED", detail, {
    refusal: "revision_stale",
    remedy: "Look at it again, and ask once more if it is still right.",
  });
}
