import {
  type AttentionPlace,
  type AttentionQuery,
  type AttentionRow,
  HostError,
  invariant,
  isAboutCell,
  isAboutStale,
  isOfIntent,
  type ListedAttention,
  type MutationRow,
  type RunRow,
  type Store,
} from "@holdfast/core";
import type { AttentionItem, CallItem, Page, PageQuery } from "./answers.ts";
import { callItems, inList } from "./call-items.ts";
import { FoundRows, row } from "./found-rows.ts";
import { type FindHeldBy, heldByBrakes } from "./held-by.ts";
import { inputNames, questionOf, runItem, whatToCheck } from "./items.ts";
import type { JobItem } from "./job-item-answers.ts";
import { jobItem } from "./job-items.ts";
import { pageItemsMax } from "./paged-list.ts";
import { whatAnswersDo, whatCanBeVerified, whyAsked } from "./question-words.ts";
import {
  causesOfRun,
  intentRunIds,
  loadUsedEvents,
  type UsedEvents,
  usedNamedMax,
} from "./used-events.ts";
import { type Waiting, waitingBehind } from "./waiting-behind.ts";

/** Questions to people, newest first, each with what they need to answer it. */
export async function listAttention(
  store: Store,
  workflow: string,
  query: PageQuery & { readonly status: "open" | "closed" | null },
): Promise<Page<AttentionItem>> {
  const isOpen = query.status === null ? null : query.status === "open";
  return pageOf(store, query, { workflow, isOpen });
}

/** Every open question, of every workflow or of some: the desk. */
export async function listQuestions(
  store: Store,
  query: PageQuery,
  workflows: readonly string[] | null = null,
): Promise<Page<AttentionItem>> {
  return pageOf(store, query, { workflow: workflows, isOpen: true });
}

/** Null = there is none with that id. */
export async function findQuestion(
  store: Store,
  workflow: string,
  attentionId: string,
): Promise<AttentionItem | null> {
  const found = new FoundRows(store, workflow);
  await found.load([row("attentions", attentionId)]);
  const question = found.find("attentions", attentionId);
  if (question === null) return null;
  const [item] = await tellQuestions(store, workflow, [question]);
  return item ?? null;
}

async function pageOf(
  store: Store,
  { after, limit }: PageQuery,
  which: {
    readonly workflow: string | readonly string[] | null;
    readonly isOpen: boolean | null;
  },
): Promise<Page<AttentionItem>> {
  const sound = Number.isInteger(limit) && limit >= 1 && limit <= pageItemsMax;
  invariant(sound, `a page has 1 to ${pageItemsMax} items, not ${limit}`);
  const place = after === null ? null : parsePlace(after);
  // One more than the page, to know whether there is a next.
  const { workflow, isOpen } = which;
  const asked = { isOpen, after: place, limit: limit + 1 };
  const listed =
    workflow === null || typeof workflow === "string"
      ? await store.listAttentions({ ...asked, workflow })
      : await listOfSome(store, workflow, asked);
  const onPage = listed.slice(0, limit);
  const last = onPage.at(-1);
  const next = listed.length > limit && last ? placeText(last) : null;
  return { items: await itemsOf(store, onPage), next };
}

/** As the store lists those of all: by time, then by workflow and id. */
async function listOfSome(
  store: Store,
  workflows: readonly string[],
  asked: Omit<AttentionQuery, "workflow">,
): Promise<readonly ListedAttention[]> {
  const lists = workflows.map((workflow) => {
    return store.listAttentions({ ...asked, workflow }).catch(ofNobody);
  });
  const listed = (await Promise.all(lists)).flat();
  return listed.sort(newestFirst).slice(0, asked.limit);
}

function newestFirst(left: ListedAttention, right: ListedAttention): number {
  const byTime = right.row.openedAt - left.row.openedAt;
  if (byTime !== 0) return byTime;
  const [one, other] = [left, right].map((each) => `${each.workflow}\0${each.row.attentionId}`);
  return (one ?? "") < (other ?? "") ? 1 : -1;
}

/** Who reaches a workflow that is not there yet is asked nothing by it. */
function ofNobody(error: unknown): readonly ListedAttention[] {
  if (error instanceof HostError && error.code === "WORKFLOW_UNKNOWN") return [];
  throw error;
}

/** In the order given, though what each needs is loaded workflow by workflow. */
async function itemsOf(
  store: Store,
  listed: readonly ListedAttention[],
): Promise<readonly AttentionItem[]> {
  const byWorkflow = Map.groupBy(listed, ({ workflow }) => workflow);
  const items = new Map<ListedAttention, AttentionItem>();
  for (const [workflow, own] of byWorkflow) {
    const rows = own.map((each) => each.row);
    const told = await tellQuestions(store, workflow, rows, inList);
    for (const [index, item] of told.entries()) {
      const each = own[index];
      if (each) items.set(each, item);
    }
  }
  return listed.flatMap((each) => items.get(each) ?? []);
}

async function tellQuestions(
  store: Store,
  workflow: string,
  rows: readonly AttentionRow[],
  howMuch?: typeof inList,
): Promise<readonly AttentionItem[]> {
  const { found, used } = await loadSubjects(store, workflow, rows);
  const mutations = rows.flatMap((each) => subjectOf(found, each).mutation ?? []);
  const calls = await callItems(store, workflow, [...new Set(mutations)], howMuch);
  const isOpen = rows.some(({ closedAt }) => closedAt === null);
  const waiting = isOpen ? await waitingBehind(store, workflow) : null;
  const findHeldBy = await heldByBrakes(store, workflow, rows);
  const about = { workflow, calls, waiting, findHeldBy, used };
  return rows.map((each) => attentionItem(found, each, about));
}

async function loadSubjects(
  store: Store,
  workflow: string,
  rows: readonly AttentionRow[],
): Promise<{ readonly found: FoundRows; readonly used: UsedEvents }> {
  const found = new FoundRows(store, workflow);
  const subjects = rows.flatMap(({ subject }) => (subject === null ? [] : [subject]));
  await found.load(subjects.flatMap((id) => [row("mutations", id), row("runs", id)]));
  const runs = [...found.rows("mutations"), ...found.rows("runs")];
  const itemIds = runs.flatMap(({ itemId }) => itemId ?? []);
  await found.load(itemIds.map((itemId) => row("items", itemId)));
  await found.load(runs.map(({ runId }) => ({ kind: "run", runId })));
  const ofCells = rows.filter(isAboutCell).map(({ attentionId }) => attentionId);
  const users = [...ofCells, ...intentRunIds(found.rows("runs"))];
  const used = await loadUsedEvents(store, workflow, found, users);
  const causes = found.rows("events").flatMap(({ causedBy }) => causedBy);
  causes.push(...rows.flatMap(staleInputs));
  await found.load(causes.map((inputId) => row("inputs", inputId)));
  return { found, used };
}

function staleInputs(question: AttentionRow): readonly string[] {
  return isAboutStale(question) && question.subject !== null ? [question.subject] : [];
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
  about: {
    readonly workflow: string;
    readonly calls: readonly CallItem[];
    readonly waiting: Waiting | null;
    readonly findHeldBy: FindHeldBy;
    readonly used: UsedEvents;
  },
): AttentionItem {
  const { run, mutation } = subjectOf(found, question);
  const user = isAboutCell(question) ? question.attentionId : (run?.runId ?? null);
  const causes = causesOfRun(found, about.used, user);
  const call = about.calls.find(({ mutationId }) => mutationId === mutation?.mutationId) ?? null;
  return {
    workflow: about.workflow,
    ...questionOf(question),
    why: whyAsked(question, run?.failure ?? null),
    does: whatAnswersDo(question),
    run: run ? runItem(run) : null,
    call,
    item: itemOf(found, mutation?.itemId ?? run?.itemId ?? null),
    inputs: inputNames(found, [...causes, ...staleInputs(question)]),
    verifiable: call === null ? null : whatCanBeVerified(call.guarantee),
    check: whatToCheck(question.kind, mutation),
    waiting: question.closedAt === null ? waitingFor(question, run, about) : null,
    heldBy: about.findHeldBy(question, mutation),
  };
}

/** What a machine waits for holds up its cell, and nothing else of the workflow. */
function waitingFor(
  question: AttentionRow,
  run: RunRow | null,
  { waiting, used }: { readonly waiting: Waiting | null; readonly used: UsedEvents },
): Waiting | null {
  if (isAboutCell(question)) {
    const events = used.get(question.attentionId)?.length ?? 0;
    return { events, isMore: events === usedNamedMax };
  }
  return run !== null && isOfIntent(run) ? { events: 0, isMore: false } : waiting;
}

function itemOf(found: FoundRows, itemId: string | null): JobItem | null {
  const item = itemId === null ? null : found.find("items", itemId);
  return item && jobItem(item, undefined);
}

function placeText({ workflow, row: { openedAt, attentionId } }: ListedAttention): string {
  return `${openedAt}~${attentionId}~${workflow}`;
}

function parsePlace(text: string): AttentionPlace {
  const [, openedAt, attentionId, workflow] = /^(\d{1,16})~([^~]+)~(.+)$/su.exec(text) ?? [];
  if (openedAt !== undefined && attentionId !== undefined && workflow !== undefined) {
    return { openedAt: Number(openedAt), attentionId, workflow };
  }
  throw new HostError("CURSOR_UNKNOWN", {
    what: `No page ended at ${JSON.stringify(text)}.`,
    remedy: "Begin with the first page.",
    retry: "safe",
  });
}
