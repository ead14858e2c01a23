import {
  type AttentionPlace,
  heldIntent,
  isHeldForAccount,
  type ListedAttention,
  type RunRow,
  type Store,
} from "@holdfast/core";
import type { AffectedRun, ResumeAnswer } from "@holdfast/protocol";
import type { Accounts } from "../accounts.ts";
import { type Asked, ask } from "./asking.ts";
import { ApiProblem } from "./problem.ts";

type Parts = { readonly store: Store; readonly accounts: Accounts };

const questionsPerPage = 500;
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
  // All of them first: what is resumed meanwhile has no question any more.
  const waiting = await questionsOf(store);
  const items: AffectedRun[] = [];
  for (let from = 0; from < waiting.length; from += askedAtOnce) {
    const some = waiting.slice(from, from + askedAtOnce);
    const told = some.map((each) => resume(store, each, { account, asked }));
    items.push(...(await Promise.all(told)).filter((each) => each !== null));
  }
  return { account, items };
}

/** A read of a machine has no run: its question names the account itself. */
type Waiting = {
  readonly workflow: string;
  readonly runId: string;
  readonly read: { readonly account: string | null; readonly attentionId: string } | null;
};

/** Every run and every read that waits for a person to mend something. */
async function questionsOf(store: Store): Promise<readonly Waiting[]> {
  const found: Waiting[] = [];
  const query = { workflow: null, isOpen: true, limit: questionsPerPage };
  for (let after: AttentionPlace | null = null; ; ) {
    const page: readonly ListedAttention[] = await store.listAttentions({ ...query, after });
    for (const { workflow, row } of page) {
      const { kind, subject, attentionId } = row;
      if (kind !== "action_needed" || subject === null) continue;
      const held = heldIntent(row);
      const read = held && { account: held.account, attentionId };
      found.push({ workflow, runId: held?.intentId ?? subject, read });
    }
    const last = page.at(-1);
    if (last === undefined || page.length < questionsPerPage) return found;
    const { openedAt, attentionId } = last.row;
    after = { openedAt, attentionId, workflow: last.workflow };
  }
}

/** Null = it waits for something else. */
async function resume(
  store: Store,
  { workflow, runId, read }: Waiting,
  { account, asked }: { readonly account: string; readonly asked: Asked },
): Promise<AffectedRun | null> {
  const command = { ...asked, commandId: `${asked.commandId} ${workflow} ${runId}` };
  if (read !== null) {
    if (read.account !== account) return null;
    const { attentionId } = read;
    const again = { ...command, kind: "acknowledge", body: { attentionId } } as const;
    return tell(store, { workflow, runId }, again);
  }
  const { rows } = await store.load(workflow, [{ kind: "row", table: "runs", key: [runId] }]);
  const [run] = rows.flatMap((each) => (each.table === "runs" ? [each.row] : []));
  if (run === undefined || !isAffected(run, account)) return null;
  return tell(store, { workflow, runId }, { ...command, body: { runId } });
}

async function tell(
  store: Store,
  { workflow, runId }: Pick<Waiting, "workflow" | "runId">,
  command: Parameters<typeof ask>[2],
): Promise<AffectedRun> {
  try {
    const { accepted, note } = await ask(store, workflow, command);
    return { workflow, runId, accepted, note };
  } catch (error) {
    // Somebody else was faster, for instance; the others are resumed all the same.
    if (!(error instanceof ApiProblem)) throw error;
    return { workflow, runId, accepted: false, note: error.message };
  }
}

function isAffected(run: RunRow, account: string): boolean {
  const { open, reason, failure } = run;
  const isForRights = open && (reason === "auth" || reason === "permission");
  return (isForRights || isHeldForAccount(run)) && failure?.account === account;
}
