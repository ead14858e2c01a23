import {
  type EventRow,
  explain,
  type Instant,
  type Need,
  type Policy,
  policyDefaults,
  type RunRow,
  type Store,
  type Subject,
  View,
} from "@holdfast/core";
import type { WhyAnswer } from "./answers.ts";
import { findSummary } from "./find-summary.ts";
import { findWitness } from "./find-witness.ts";
import { FoundRows, row } from "./found-rows.ts";
import { resolveId } from "./resolve-id.ts";
import { runsThatHeld } from "./runs-that-held.ts";
import { tell } from "./tell.ts";

/** While a workflow works, what was found may be overtaken before it is explained. */
const triesMax = 5;

/** Why what the id names is where it is. */
export async function whyOf(
  store: Store,
  workflow: string,
  id: string,
  now: Instant,
  policy: Policy = policyDefaults,
): Promise<WhyAnswer> {
  const resolved = await resolveId(store, workflow, id);
  if (resolved.kind === "unknown_id") return { kind: "unknown_id", id };
  if (resolved.kind === "ambiguous") return resolved;
  const asking = { store, workflow, now, policy };
  for (let tries = 1; ; tries += 1) {
    const { view, isSteady } = await viewFor(asking, resolved.subject);
    const summary = await findSummary(store, workflow);
    const through = view.find("workflows")?.inboxThrough ?? 0;
    const commandsWaiting = Math.max(0, (summary?.inboxTail ?? 0) - through);
    const witness = await findWitness(store, view, commandsWaiting);
    const explained = explain(view, resolved.subject, now, witness);
    if (explained.state === "unexplained" && !isSteady && tries < triesMax) continue;
    const handler = resolved.handler ?? null;
    const detail = { ...asking, view, summary, commandsWaiting, handler };
    return { kind: "explained", why: await tell(detail, explained) };
  }
}

type Asking = {
  readonly store: Store;
  readonly workflow: string;
  readonly now: Instant;
  readonly policy: Policy;
};

/** One moment; not steady when it is a later one than that in which the runs were looked for. */
export async function viewFor(
  {
    store,
    workflow,
    policy = policyDefaults,
  }: Pick<Asking, "store" | "workflow"> & Partial<Asking>,
  subject: Subject,
) {
  const base: Need[] = [{ kind: "base" }, { kind: "oldest_pending" }];
  const found = new FoundRows(store, workflow);
  const before = await store.load(workflow, []);
  const own = await needsOf(store, workflow, found, subject);
  const loaded = await store.load(workflow, [...base, ...own]);
  const view = View.fromLoaded(loaded, policy);
  return { view, isSteady: loaded.head.seq === before.head.seq };
}

async function needsOf(
  store: Store,
  workflow: string,
  found: FoundRows,
  subject: Subject,
): Promise<Need[]> {
  switch (subject.kind) {
    case "workflow":
      return [];
    case "run":
      return needsOfChain(found, subject.runId);
    case "event": {
      const { topic, messageId } = subject;
      await found.load([row("events", topic, messageId)]);
      const held = await needsOfHolders(store, workflow, found.rows("events"));
      return [row("events", topic, messageId), ...held];
    }
    case "input": {
      const need: Need = { kind: "input", inputId: subject.inputId };
      await found.load([need]);
      return [need, ...(await needsOfHolders(store, workflow, found.rows("events")))];
    }
  }
}

/** The run and those that took over from it, each with the call it carries. */
async function needsOfChain(found: FoundRows, runId: string): Promise<Need[]> {
  const needs: Need[] = [];
  for (let next: string | null = runId; next !== null; ) {
    await found.load([row("runs", next)]);
    const run: RunRow | null = found.find("runs", next);
    needs.push({ kind: "run", runId: next });
    if (run?.mutationId) needs.push(row("mutations", run.mutationId));
    next = run?.supersededBy ?? null;
  }
  return needs;
}

async function needsOfHolders(
  store: Store,
  workflow: string,
  events: readonly EventRow[],
): Promise<Need[]> {
  const runIds = await runsThatHeld(store, workflow, events);
  return runIds.map((runId) => ({ kind: "run", runId }));
}
