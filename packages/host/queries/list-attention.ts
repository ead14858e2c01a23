import type { AttentionRow, MutationRow, RunRow, Store } from "@holdfast/core";
import type { AttentionItem, CallItem, Page, PageQuery } from "./answers.ts";
import { callItems } from "./call-items.ts";
import { FoundRows, row } from "./found-rows.ts";
import { inputNames, questionOf, runItem, whatToCheck } from "./items.ts";
import { Newest, rankOfId } from "./newest.ts";

/** Questions to people, each with what they need to answer it. */
export async function listAttention(
  store: Store,
  workflow: string,
  query: PageQuery & { readonly status: "open" | "closed" | null },
): Promise<Page<AttentionItem>> {
  const { status } = query;
  const placeOf = ({ attentionId: id }: AttentionRow) => ({ rank: rankOfId(id), id });
  const newest = new Newest<AttentionRow>(query, placeOf);
  for await (const each of store.scan(workflow, "attentions")) {
    const itsStatus = each.closedAt === null ? "open" : "closed";
    if (status === null || status === itsStatus) newest.add(each);
  }
  const rows = newest.rows();
  const found = await loadSubjects(store, workflow, rows);
  const mutations = rows.flatMap((each) => subjectOf(found, each).mutation ?? []);
  const calls = await callItems(store, workflow, [...new Set(mutations)]);
  return newest.page(rows.map((each) => attentionItem(found, each, calls)));
}

async function loadSubjects(
  store: Store,
  workflow: string,
  rows: readonly AttentionRow[],
): Promise<FoundRows> {
  const found = new FoundRows(store, workflow);
  const subjects = rows.flatMap(({ subject }) => (subject === null ? [] : [subject]));
  await found.load(subjects.flatMap((id) => [row("mutations", id), row("runs", id)]));
  const runs = [...found.rows("mutations"), ...found.rows("runs")];
  await found.load(runs.map(({ runId }) => ({ kind: "run", runId })));
  const causes = found.rows("events").flatMap(({ causedBy }) => causedBy);
  await found.load(causes.map((inputId) => row("inputs", inputId)));
  return found;
}

/** A question about a run is also about the call the run made last. */
function subjectOf(
  found: FoundRows,
  { subject }: AttentionRow,
): { readonly run: RunRow | null; readonly mutation: MutationRow | null } {
  if (subject === null) return { run: null, mutation: null };
  const mutation = found.find("mutations", subject);
  const run = found.find("runs", mutation?.runId ?? subject);
  const last = run?.mutationId ? found.find("mutations", run.mutationId) : null;
  return { run, mutation: mutation ?? last };
}

function attentionItem(
  found: FoundRows,
  question: AttentionRow,
  calls: readonly CallItem[],
): AttentionItem {
  const { run, mutation } = subjectOf(found, question);
  const held = found.rows("reservations").filter(({ runId }) => runId === run?.runId);
  const causes = held.flatMap(
    ({ topic, messageId }) => found.find("events", topic, messageId)?.causedBy ?? [],
  );
  return {
    ...questionOf(question),
    run: run ? runItem(run) : null,
    call: calls.find(({ mutationId }) => mutationId === mutation?.mutationId) ?? null,
    inputs: inputNames(found, causes),
    check: whatToCheck(question.kind, mutation),
  };
}
