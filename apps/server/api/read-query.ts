import type { z } from "zod";
import type { ApiContext } from "./api-env.ts";
import { ApiProblem } from "./problem.ts";

/** What stands after the `?`, as its schema reads it, or what is wrong with it. */
export function readQuery<S extends z.ZodType>(context: ApiContext, schema: S): z.output<S> {
  const read = schema.safeParse(context.req.query());
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const where = issue?.path.map(String).join(".") || "the query";
  throw new ApiProblem(422, "REQUEST_INVALID", `${where}: ${issue?.message ?? "not valid"}.`);
}

/** A page from the newest on, unless it says after which one. */
export function paged<Q extends { readonly after?: string | undefined }>(query: Q) {
  return { ...query, after: query.after ?? null };
}

/** Null = it was not narrowed. */
export function oneOf<T extends string>(words: readonly T[], given: string | null): T | null {
  const found = words.find((word) => word === given);
  if (given === null || found !== undefined) return found ?? null;
  throw new ApiProblem(422, "REQUEST_INVALID", `status: there is no ${given}.`, {
    remedy: `It is one of: ${words.join(", ")}.`,
  });
}
