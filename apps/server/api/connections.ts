import type { AttentionPlace, ListedAttention, RunRow, Store } from "@holdfast/core";
import type { ConnectionsAnswer } from "@holdfast/protocol";
import { Hono } from "hono";
import type { Accounts } from "../accounts.ts";
import type { DeclaredConnection, OpenedScript } from "../ports.ts";
import type { ApiEnv } from "./api-env.ts";

export type ConnectionParts = {
  readonly store: Store;
  readonly accounts: Accounts;
  readonly activeScript: (workflow: string) => Promise<OpenedScript | null>;
};

type Item = ConnectionsAnswer["items"][number];

const questionsPerRead = 500;

/** What a workflow is connected with: account, state and labels; never what signs it in. */
export function connections(parts: ConnectionParts): Hono<ApiEnv> {
  const app = new Hono<ApiEnv>();
  app.get("/:workflow/connections", async (context) => {
    const workflow = context.req.param("workflow");
    const script = await parts.activeScript(workflow);
    const waiting = await refusedRuns(parts.store, workflow);
    const declared = script?.manifest.connections ?? [];
    const items = declared.map((each) => connectionItem(parts.accounts, each, waiting));
    return context.json<ConnectionsAnswer>({ items });
  });
  return app;
}

function connectionItem(
  accounts: Accounts,
  declared: DeclaredConnection,
  waiting: readonly RunRow[],
): Item {
  const { name: connection, connector } = declared;
  const found = accounts.connectionsOf([declared]).get(connection) ?? null;
  if (found === null) {
    return { connection, connector, account: null, state: "missing", affected: [], operations: [] };
  }
  const { account } = found;
  const affected = waiting.filter(({ failure }) => failure?.account === account);
  const operations = Object.entries(found.operations).map(([operation, each]) => {
    const { kind, labels, declared } = each;
    return { operation, kind, labels, ...declared };
  });
  const state = affected.length === 0 ? "ready" : "refused";
  const ids = affected.map(({ runId }) => runId);
  return { connection, connector, account, state, affected: ids, operations };
}

/** Those that wait because a sign-in or rights were refused. */
async function refusedRuns(store: Store, workflow: string): Promise<readonly RunRow[]> {
  const query = { workflow, isOpen: true, limit: questionsPerRead };
  const runIds: string[] = [];
  for (let after: AttentionPlace | null = null; ; ) {
    const page: readonly ListedAttention[] = await store.listAttentions({ ...query, after });
    for (const { row } of page) {
      if (row.kind === "action_needed" && row.subject !== null) runIds.push(row.subject);
    }
    const last = page.at(-1);
    if (last === undefined || page.length < questionsPerRead) break;
    const { openedAt, attentionId } = last.row;
    after = { openedAt, attentionId, workflow };
  }
  const needs = runIds.map((runId) => ({ kind: "row", table: "runs", key: [runId] }) as const);
  const { rows } = await store.load(workflow, needs);
  return rows.flatMap((each) => (each.table === "runs" ? [each.row] : []));
}
