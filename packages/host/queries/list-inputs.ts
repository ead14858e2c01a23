import {
  type EventRow,
  type InputRow,
  type InputStatus,
  type Instant,
  inputStatus,
  isStaleInput,
  type ListPlace,
  type Policy,
  policyDefaults,
  type Store,
  View,
} from "@holdfast/core";
import type { Filter, InputItem, Page } from "./answers.ts";
import { inputName } from "./items.ts";
import { countOutputs } from "./outputs.ts";
import { havingText, pageOf, readPage, type Walk } from "./paged-list.ts";

/** What came from outside, and how far it is. */
export async function listInputs(
  store: Store,
  workflow: string,
  query: Filter & { readonly status: InputStatus | null },
  now: Instant,
  policy: Policy = policyDefaults,
): Promise<Page<InputItem>> {
  const { status, text } = query;
  const isNamed = havingText<InputRow>(text, (row) => [row.title, row.inputId, row.externalId]);
  const pick = async (rows: readonly InputRow[]) => {
    const named = isNamed === null ? rows : rows.filter(isNamed);
    return havingStatus(store, workflow, named, status);
  };
  const walk = {
    ...walkInputs(store, workflow, query),
    ...(isNamed === null && status === null ? {} : { pick }),
  };
  const found = await readPage<InputRow>(walk, query);
  const ids = found.rows.map(({ inputId }) => inputId);
  return pageOf(await inputItems(store, workflow, ids, { now, policy }), found);
}

function walkInputs(store: Store, workflow: string, { from, to }: Filter): Walk<InputRow> {
  const downTo = from === undefined ? null : [from, ""];
  const end: ListPlace | null = to === undefined ? null : [to + 1, ""];
  return {
    placeOf: ({ createdAt, inputId }) => [createdAt, inputId],
    read: (place, limit) => {
      const after = place === null || (end && Number(place[0]) >= Number(end[0])) ? end : place;
      return store.listRows({ workflow, list: "inputs", of: [], after, downTo, limit });
    },
  };
}

/** The status is derived from the events, so only those that may be listed are looked at. */
async function havingStatus(
  store: Store,
  workflow: string,
  rows: readonly InputRow[],
  status: InputStatus | null,
): Promise<readonly InputRow[]> {
  if (status === null || rows.length === 0) return rows;
  if (status === "skipped") return rows.filter(({ skippedAt }) => skippedAt !== null);
  const open = rows.filter(({ skippedAt }) => skippedAt === null);
  const ids = open.map(({ inputId }) => inputId);
  const view = await viewOfInputs(store, workflow, ids, policyDefaults);
  return open.filter(({ inputId }) => inputStatus(view, inputId) === status);
}

async function viewOfInputs(
  store: Store,
  workflow: string,
  inputIds: readonly string[],
  policy: Policy,
): Promise<View> {
  const needs = inputIds.map((inputId) => ({ kind: "input", inputId }) as const);
  return View.fromLoaded(await store.load(workflow, needs), policy);
}

/** In the order of the ids, all from one moment. */
export async function inputItems(
  store: Store,
  workflow: string,
  inputIds: readonly string[],
  { now, policy }: { readonly now: Instant; readonly policy: Policy },
): Promise<InputItem[]> {
  if (inputIds.length === 0) return [];
  const view = await viewOfInputs(store, workflow, inputIds, policy);
  const events = new Map(inputIds.map((inputId) => [inputId, eventsOf(view, inputId)]));
  const outputs = await countOutputs(store, view, events);
  return inputIds.map((inputId) => {
    const row = view.load("inputs", inputId);
    const { createdAt, skippedAt } = row;
    return {
      ...inputName(row),
      status: inputStatus(view, inputId),
      isStale: isStaleInput(view, inputId, now),
      createdAt,
      skippedAt,
      events: countStatuses(events.get(inputId) ?? []),
      outputsDone: outputs.get(inputId) ?? 0,
    };
  });
}

function eventsOf(view: View, inputId: string): EventRow[] {
  return [...view.rows("events")].filter(({ causedBy }) => causedBy.includes(inputId));
}

function countStatuses(events: readonly EventRow[]): InputItem["events"] {
  const count = (status: EventRow["status"]) => events.filter((e) => e.status === status).length;
  return {
    pending: count("pending"),
    reserved: count("reserved"),
    consumed: count("consumed"),
    skipped: count("skipped"),
  };
}
