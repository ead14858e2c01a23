import type { Need, Store } from "@holdfast/core";
import type { ApiContext } from "./api-env.ts";
import { expectedOf, requireMatch } from "./if-match.ts";
import { ApiProblem } from "./problem.ts";

type Command = { readonly kind: string; readonly body: Readonly<Record<string, unknown>> };

/**
 * `if-match` of a command: of one about an event its revision, of one about a run its status, of
 * any other the status of the workflow, each as it was told.
 */
export async function requireSeen(
  store: Store,
  context: ApiContext,
  { body }: Command,
): Promise<void> {
  const expected = expectedOf(context);
  if (expected === null) return;
  const workflow = context.req.param("workflow") ?? "";
  const { need, what } = subjectOf(body);
  const { rows } = await store.load(workflow, [need]);
  const [found] = rows;
  if (found?.table === "events") return requireMatch(expected, String(found.row.revision), what);
  if (found?.table === "runs") return requireMatch(expected, found.row.status, what);
  if (found?.table === "workflows") return requireMatch(expected, found.row.status, what);
  throw new ApiProblem(404, "REQUEST_INVALID", `${workflow} has no such thing: ${what}.`);
}

function subjectOf(body: Command["body"]): { readonly need: Need; readonly what: string } {
  const { topic, messageId, runId } = body;
  if (typeof topic === "string" && typeof messageId === "string") {
    const need = { kind: "row", table: "events", key: [topic, messageId] } as const;
    return { need, what: `the revision of ${topic}/${messageId}` };
  }
  if (typeof runId === "string") {
    const need = { kind: "row", table: "runs", key: [runId] } as const;
    return { need, what: `the status of ${runId}` };
  }
  const need = { kind: "row", table: "workflows", key: [] } as const;
  return { need, what: "the status of the workflow" };
}
