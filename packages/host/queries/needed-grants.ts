import { type Grant, heldIntent, type Instant, periodMs, type Store } from "@holdfast/core";
import { FoundRows, row } from "./found-rows.ts";
import { readEnvelope } from "./read-envelope.ts";

/** The newest questions of a workflow; what was asked before them says little of what it does. */
const questionsLookedAtMax = 200;

/** One operation that a workflow uses, or has tried to use. */
export type NeededGrant = {
  readonly operation: string;
  /** Its name stands in the code of the active version. */
  readonly isInScript: boolean;
  /** What grants in force say of it, whatever their constraints; none = nobody was asked yet. */
  readonly says: readonly Grant["say"][];
  /** Calls of the last seven days that were recorded and have not failed. Reads are not. */
  readonly callCount: number;
  /** Questions of late whether it may be called. */
  readonly askedCount: number;
  /** Why it is held up now; null = it is not. */
  readonly denied: string | null;
};

type Seen = { readonly asked: Map<string, number>; readonly denied: Map<string, string> };

/**
 * What a workflow needs outside: found in its code, and seen in what it did and was kept from. A
 * script can be on this list without ever having been granted anything; it cannot change grants.
 */
export async function neededGrants(
  store: Store,
  workflow: string,
  { uses, now }: { readonly uses: readonly string[]; readonly now: Instant },
): Promise<readonly NeededGrant[]> {
  const grants = (await readEnvelope(store, workflow))?.grants ?? [];
  const { asked, denied } = await seenAsking(store, workflow);
  const names = new Set([...uses, ...asked.keys(), ...denied.keys()]);
  const needed: NeededGrant[] = [];
  for (const operation of [...names].sort()) {
    const own = grants.filter((each) => each.operation === operation);
    needed.push({
      operation,
      isInScript: uses.includes(operation),
      says: [...new Set(own.map(({ say }) => say))],
      callCount: await callsOf(store, workflow, { operation, after: now - periodMs.week }),
      askedCount: asked.get(operation) ?? 0,
      denied: denied.get(operation) ?? null,
    });
  }
  return needed;
}

async function callsOf(
  store: Store,
  workflow: string,
  { operation, after }: { readonly operation: string; readonly after: Instant },
): Promise<number> {
  const dot = operation.indexOf(".");
  const call = { connection: operation.slice(0, dot), operation: operation.slice(dot + 1) };
  return (await store.sumUsage(workflow, { ...call, after, except: null })).count;
}

/** By the calls and runs that questions are about: what a script calls by no plain name, too. */
async function seenAsking(store: Store, workflow: string): Promise<Seen> {
  const which = { workflow, isOpen: null, after: null, limit: questionsLookedAtMax };
  const questions = (await store.listAttentions(which)).map((each) => each.row);
  const found = new FoundRows(store, workflow);
  const subjects = questions.flatMap(({ subject }) => subject ?? []);
  await found.load(subjects.flatMap((id) => [row("mutations", id), row("runs", id)]));
  const seen: Seen = { asked: new Map(), denied: new Map() };
  for (const question of questions) {
    const { kind, subject, closedAt } = question;
    const call = found.find("mutations", subject ?? "");
    if (kind === "approval" && call !== null) {
      const name = `${call.connection}.${call.operation}`;
      seen.asked.set(name, (seen.asked.get(name) ?? 0) + 1);
    }
    const held = closedAt === null ? heldIntent(question) : null;
    if (held !== null && held.envelope !== null)
      seen.denied.set(held.operation, question.note.replace(/^\w+: /, ""));
    const run = found.find("runs", subject ?? "");
    if (kind !== "action_needed" || closedAt !== null || run?.failure == null) continue;
    const isOfGrants = run.reason === "permission" || run.reason === "budget";
    if (isOfGrants) seen.denied.set(run.failure.location, run.failure.message);
  }
  return seen;
}
