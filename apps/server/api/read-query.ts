import type { z } from "zod";
import type { ApiContext } from "./api-env.ts";
import { ApiProblem } from "./problem.ts";

/** What stands after the `?`, as its schema reads it, or what is wrong with it. */
export function readQuery<S extends z.ZodType>(context: ApiContext, schema: S): z.output<S> {
  const read = schema.safeParse(context.req.query());
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const where = issue?.path.map(String).join(".") || "the query";
  throw new ApiProblem(422, "REQUEST_INVALID", `${where}: ${sayIssue(issue)}.`);
}

/** What is no number is one that is none to the schema, and of no help to people. */
function sayIssue(issue: z.core.$ZodIssue | undefined): string {
  const isNumber = issue?.code === "invalid_type" && ["number", "int"].includes(issue.expected);
  return isNumber ? "a whole number is expected" : (issue?.message ?? "not valid");
}

/** A page from the newest on, unless it says after which one. */
export function paged<Q extends { readonly after?: string | undefined }>(query: Q) {
  return { ...query, after: query.after ?? null };
}

const everyWord = "all";

/** Null = it was not narrowed, or to all there are. */
export function oneOf<T extends string>(words: readonly T[], given: string | null): T | null {
  if (given === everyWord) return null;
  const found = words.find((word) => word === given);
  if (given === null || found !== undefined) return found ?? null;
  throw noSuchStatus([...words, everyWord], given);
}

/** Of a list that has no others. */
export function requireOnly(word: string, given: string | null): void {
  if (given !== null && given !== word) throw noSuchStatus([word], given);
}

function noSuchStatus(words: readonly string[], given: string): ApiProblem {
  return new ApiProblem(422, "REQUEST_INVALID", `status: there is no ${given}.`, {
    remedy: `It is one of: ${words.join(", ")}.`,
  });
}
