import type { RunRow, Store } from "@holdfast/core";
import type { AffectedRun, ResumeAnswer } from "@holdfast/protocol";
import type { Accounts } from "../accounts.ts";
import { type Asked, ask } from "./asking.ts";
import { ApiProblem } from "./problem.ts";

type Parts = { readonly store: Store; readonly accounts: Accounts };

const workflowsPerPage = 500;
const askedAtOnce = 20;

/**
 * After an account was mended: it is read again, and every run that waits because its sign-in or
 * its rights were refused goes on, each by a command of its own in the name of whoever asked.
 */
export async function resumeAffected(
  { store, accounts }: Parts,
  account: string,
  asked: Asked,
): Promise<ResumeAnswer> {
  if (!accounts.readAgain(account)) {
    throw new ApiProblem(404, "ACCOUNT_MISSING", `This host has no account ${account}.`, {
      remedy: "Look at the names in its accounts file.",
    });
  }
  const items: AffectedRun[] = [];
  for await (const workflows of pagesOf(store)) {
    for (let from = 0; from < workflows.length; from += askedAtOnce) {
      const some = workflows.slice(from, from + askedAtOnce);
      const found = await Promise.all(
        some.map((workflow) => resumeIn(store, workflow, { account, asked })),
      );
      items.push(...found.flat());
    }
  }
  return { account, items };
}

async function* pagesOf(store: Store): AsyncIterable<readonly string[]> {
  for (let after: string | null = null; ; ) {
    const page: readonly { readonly workflow: string }[] = await store.listWorkflows(
      after,
      workflowsPerPage,
    );
    yield page.map(({ workflow }) => workflow);
    if (page.length < workflowsPerPage) return;
    after = page.at(-1)?.workflow ?? null;
  }
}

/** One at most: a workflow has one open run. */
async function resumeIn(
  store: Store,
  workflow: string,
  { account, asked }: { readonly account: string; readonly asked: Asked },
): Promise<readonly AffectedRun[]> {
  const { rows } = await store.load(workflow, [{ kind: "base" }]);
  const runs = rows.flatMap((each) => (each.table === "runs" ? [each.row] : []));
  const run = runs.find((each) => isAffected(each, account));
  if (run === undefined) return [];
  const { runId } = run;
  const commandId = `${asked.commandId} ${workflow} ${runId}`;
  try {
    const command = { ...asked, commandId, kind: "resume_run", body: { runId } };
    const { accepted, note } = await ask(store, workflow, command);
    return [{ workflow, runId, accepted, note }];
  } catch (error) {
    // Somebody else was faster, for instance; the others are resumed all the same.
    if (!(error instanceof ApiProblem)) throw error;
    return [{ workflow, runId, accepted: false, note: error.message }];
  }
}

function isAffected({ open, reason, failure }: RunRow, account: string): boolean {
  const isForRights = reason === "auth" || reason === "permission";
  return open && isForRights && failure?.account === account;
}
