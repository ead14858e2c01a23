import type { ApiContext } from "./api-env.ts";
import { ApiProblem } from "./problem.ts";

type Schema<T> = {
  safeParse(given: unknown):
    | { readonly success: true; readonly data: T }
    | {
        readonly success: false;
        readonly error: {
          readonly issues: readonly { path: readonly PropertyKey[]; message: string }[];
        };
      };
};

/** The body of a request as its schema reads it, or what is wrong with it. */
export async function readBody<T>(context: ApiContext, schema: Schema<T>): Promise<T> {
  const given: unknown = await context.req.json().catch(() => {
    throw new ApiProblem(400, "REQUEST_INVALID", "The body is not JSON.");
  });
  const read = schema.safeParse(given);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const where = issue?.path.map(String).join(".") || "the body";
  throw new ApiProblem(422, "REQUEST_INVALID", `${where}: ${issue?.message ?? "not valid"}.`);
}
