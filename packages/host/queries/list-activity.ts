import {
  HostError,
  type InputRow,
  type Instant,
  type LedgerState,
  type ListPlace,
  type MutationRow,
  placeAt,
  type Resolution,
  type Store,
  type WorkflowSummary,
} from "@holdfast/core";
import type { Page, PageQuery } from "./answers.ts";
import { seqAt } from "./fact-list.ts";
import { operationName, previewOf, scriptTitleOf } from "./items.ts";

const summariesPerRead = 500;

/** Something that came in, or that was done or is to be: a line of it. */
export type ActivityItem = {
  readonly workflow: string;
  readonly kind: "input" | "output";
  readonly id: string;
  readonly at: Instant;
  /** Of an output: what the script calls it. */
  readonly title: string | null;
  readonly operation: string | null;
  readonly target: string | null;
  readonly state: LedgerState | null;
  readonly resolution: Pick<Resolution, "kind"> | null;
  /** Rendered by the host from the real parameters; null = it is of an older version. */
  readonly preview: string | null;
};

/** Of one that came in or was done: the place in the list of all workflows, the newest first. */
type Place = {
  readonly at: Instant;
  readonly workflow: string;
  readonly kind: "input" | "output";
  readonly id: string;
};

/**
 * What came in and what was done, over many workflows, the newest first. Those that moved last are
 * looked at first, and none that last moved before the oldest on the page: what is idle costs
 * nothing but its line in the list of workflows.
 */
export async function listActivity(
  store: Store,
  { after, limit }: PageQuery,
  /** Null = all there are. */
  workflows: readonly WorkflowSummary[] | null,
): Promise<Page<ActivityItem>> {
  const place = after === null ? null : parsePlace(after);
  const all = workflows ?? (await everyWorkflow(store));
  const byTime = all.toSorted((left, right) => right.head.at - left.head.at);
  let found: readonly ActivityItem[] = [];
  for (const { workflow, head } of byTime) {
    const last = found[limit];
    if (last !== undefined && head.at < last.at) break;
    const own = await activityOf(store, workflow, { place, limit: limit + 1 });
    found = [...found, ...own].sort(newestFirst).slice(0, limit + 1);
  }
  const items = found.slice(0, limit);
  const end = items.at(-1);
  return { items, next: found.length > limit && end ? placeText(end) : null };
}

async function everyWorkflow(store: Store): Promise<readonly WorkflowSummary[]> {
  const all: WorkflowSummary[] = [];
  for (let after: string | null = null; ; ) {
    const read: readonly WorkflowSummary[] = await store.listWorkflows(after, summariesPerRead);
    all.push(...read);
    const last = read.at(-1);
    if (last === undefined || read.length < summariesPerRead) return all;
    after = last.workflow;
  }
}

async function activityOf(
  store: Store,
  workflow: string,
  { place, limit }: { readonly place: Place | null; readonly limit: number },
): Promise<readonly ActivityItem[]> {
  const below =
    place === null ? { inputs: null, calls: null } : await belowOf(store, workflow, place);
  const asked = { workflow, of: [], downTo: null, limit };
  const inputs = await store.listRows({ ...asked, list: "inputs", after: below.inputs });
  const calls = await store.listRows({ ...asked, list: "mutations", after: below.calls });
  return [
    ...inputs.map((row) => ofInput(workflow, row)),
    ...calls.map((row) => ofCall(workflow, row)),
  ];
}

type Below = { readonly inputs: ListPlace; readonly calls: ListPlace };

/** Where in the lists of one workflow goes on what stands after that place in the list of all. */
async function belowOf(store: Store, workflow: string, place: Place): Promise<Below> {
  const { at, kind, id } = place;
  if (workflow === place.workflow) {
    if (kind === "output") return { inputs: [at + 1, ""], calls: [id] };
    return { inputs: [at, id], calls: placeAt("mutations", await seqAt(store, workflow, at)) };
  }
  const from = workflow < place.workflow ? at + 1 : at;
  return { inputs: [from, ""], calls: placeAt("mutations", await seqAt(store, workflow, from)) };
}

function ofInput(workflow: string, { inputId, title, createdAt }: InputRow): ActivityItem {
  const nothing = { operation: null, target: null, state: null, resolution: null, preview: null };
  return { workflow, kind: "input", id: inputId, at: createdAt, title, ...nothing };
}

function ofCall(workflow: string, row: MutationRow): ActivityItem {
  const { mutationId: id, recordedAt: at, target, state } = row;
  const title = scriptTitleOf(row);
  const resolution = row.resolution && { kind: row.resolution.kind };
  const preview = previewOf(row);
  const operation = operationName(row);
  return { workflow, kind: "output", id, at, title, operation, target, state, resolution, preview };
}

/** By time; what is of one moment by workflow, and there what was done before what came in. */
function newestFirst(left: Place, right: Place): number {
  if (left.at !== right.at) return right.at - left.at;
  if (left.workflow !== right.workflow) return left.workflow < right.workflow ? 1 : -1;
  if (left.kind !== right.kind) return left.kind < right.kind ? 1 : -1;
  const isLonger = left.kind === "output" && left.id.length !== right.id.length;
  if (isLonger) return right.id.length - left.id.length;
  return left.id < right.id ? 1 : -1;
}

function placeText({ at, kind, workflow, id }: Place): string {
  const name = encodeURIComponent(workflow).replaceAll("~", "%7E");
  return [at, kind, name, id].join("~");
}

function parsePlace(text: string): Place {
  const [, at, kind, workflow, id] =
    /^(0|[1-9]\d{0,15})~(input|output)~([^~]*)~(.+)$/su.exec(text) ?? [];
  const name = workflow === undefined ? null : decoded(workflow);
  const isSound = kind === "input" || (kind === "output" && /^m\d{1,16}$/.test(id ?? ""));
  if (at !== undefined && name !== null && id !== undefined && isSound) {
    return { at: Number(at), kind, workflow: name, id };
  }
  throw new HostError("CURSOR_UNKNOWN", {
    what: `No page ended at ${JSON.stringify(text)}.`,
    remedy: "Begin with the first page.",
    retry: "safe",
  });
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
