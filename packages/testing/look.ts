import {
  type AttentionKind,
  decodeCanonical,
  type EventStatus,
  type HandlerRow,
  type InputStatus,
  type LedgerState,
  type MutationRow,
  type Payload,
  type Rows,
  type RunRow,
  type Store,
  type TableName,
  type WorkflowRow,
} from "@holdfast/core";
import { isoText } from "./duration.ts";
import type { Params } from "./operations.ts";

export type SeenEvent = {
  readonly topic: string;
  readonly messageId: string;
  readonly status: EventStatus;
  readonly title: string | null;
  readonly payload: unknown;
  /** Titles of the inputs it comes from. */
  readonly causedBy: readonly string[];
};

export type SeenInput = {
  readonly inputId: string;
  readonly source: string;
  readonly type: string;
  readonly id: string;
  readonly title: string;
  readonly status: InputStatus;
};

export type SeenRun = Pick<
  RunRow,
  | "runId"
  | "handler"
  | "kind"
  | "phase"
  | "status"
  | "reason"
  | "outcome"
  | "retryOf"
  | "version"
  | "failure"
  | "open"
> & {
  readonly title: string | null;
  readonly startedAt: string;
  /** Null = it is open, or waits. */
  readonly endedAt: string | null;
};

/** A call as the ledger has it. */
export type LedgerEntry = {
  readonly mutationId: string;
  readonly name: string;
  readonly params: Params;
  readonly state: LedgerState;
  /** Events it is for, each as "messageId in topic". */
  readonly events: readonly string[];
  readonly key: string;
  readonly result: unknown;
};

/** An open question to a person. */
export type Question = {
  readonly id: string;
  readonly kind: AttentionKind;
  /** The run or the mutation it is about; null = the workflow itself. */
  readonly subject: string | null;
  readonly text: string;
  readonly answers: readonly string[];
  /** The call whose outcome is asked for; null = it is about something else. */
  readonly call: LedgerEntry | null;
  /** Of a job: whose call was made with other parameters before; null = it is about no item. */
  readonly item: { readonly itemId: string; readonly proposedHash: string } | null;
};

/** What the store holds, all from one moment. */
export type Seen = {
  readonly workflow: WorkflowRow | null;
  readonly events: readonly SeenEvent[];
  readonly inputs: readonly SeenInput[];
  readonly runs: readonly SeenRun[];
  readonly ledger: readonly LedgerEntry[];
  readonly mutations: readonly MutationRow[];
  readonly questions: readonly Question[];
  readonly states: ReadonlyMap<string, unknown>;
};

export async function look(store: Store, workflow: string): Promise<Seen> {
  const rows = <T extends TableName>(table: T) => allRows(store, workflow, table);
  const value = (payload: Payload | null) => decodedValue(store, workflow, payload);
  const inputs = await seenInputs(await rows("inputs"), await rows("events"));
  const titles = new Map(inputs.map(({ inputId, title }) => [inputId, title]));
  const events = [...(await rows("events"))].sort((a, b) => a.position - b.position);
  const mutations = await rows("mutations");
  const reservations = await rows("reservations");
  const eventsOf = ({ runId }: MutationRow) =>
    reservations
      .filter((each) => each.runId === runId)
      .map(({ topic, messageId }) => `${messageId} in ${topic}`);
  const ledger = await Promise.all(mutations.map((row) => ledgerEntry(row, eventsOf(row), value)));
  const open = (await rows("attentions")).filter(({ closedAt }) => closedAt === null);
  const [row = null] = await rows("workflows");
  return {
    workflow: row,
    events: await Promise.all(
      events.map(async ({ topic, messageId, status, title, payload, causedBy }) => ({
        topic,
        messageId,
        status,
        title,
        payload: await value(payload),
        causedBy: causedBy.map((inputId) => titles.get(inputId) ?? inputId),
      })),
    ),
    inputs,
    runs: (await rows("runs")).map(seenRun).sort(byStart),
    ledger,
    mutations,
    questions: open.map(({ attentionId: id, kind, subject, note: text, answers }) => {
      const call = ledger.find(({ mutationId }) => mutationId === subject) ?? null;
      const asked = mutations.find(({ mutationId }) => mutationId === subject);
      const item =
        asked?.itemId && asked.proposed
          ? { itemId: asked.itemId, proposedHash: asked.proposed.hash }
          : null;
      return { id, kind, subject, text, answers, call, item };
    }),
    states: new Map(
      await Promise.all(
        (await rows("handlers")).map(async ({ name, state }: HandlerRow) => {
          return [name, state === null ? undefined : await value(state)] as const;
        }),
      ),
    ),
  };
}

async function allRows<T extends TableName>(
  store: Store,
  workflow: string,
  table: T,
): Promise<readonly Rows[T][]> {
  const rows: Rows[T][] = [];
  for await (const row of store.scan(workflow, table)) rows.push(row);
  return rows;
}

async function decodedValue(
  store: Store,
  workflow: string,
  payload: Payload | null,
): Promise<unknown> {
  if (payload === null) return null;
  return decodeCanonical(payload.inline ?? (await store.loadBlob(workflow, payload.hash)));
}

/** Runs are named by their place in the journal. */
function byStart(one: SeenRun, other: SeenRun): number {
  return Number(one.runId.slice(1)) - Number(other.runId.slice(1));
}

function seenRun({ startedAt, endedAt, uiTitle, ...row }: RunRow): SeenRun {
  const { runId, handler, kind, phase, status, reason, outcome, retryOf, version, failure, open } =
    row;
  const known = { runId, handler, kind, phase, status, reason, outcome, retryOf, version };
  return {
    ...known,
    failure,
    open,
    title: uiTitle,
    startedAt: isoText(startedAt),
    endedAt: endedAt === null ? null : isoText(endedAt),
  };
}

/** The same rule as the core's, over all rows: an input is done when everything of it is. */
function seenInputs(
  inputs: readonly Rows["inputs"][],
  events: readonly Rows["events"][],
): readonly SeenInput[] {
  return inputs.map(({ inputId, source, type, externalId, title, skippedAt }) => {
    const caused = events.filter(({ causedBy }) => causedBy.includes(inputId));
    const waits = caused.some(({ status }) => status === "pending" || status === "reserved");
    const isOpen = caused.length === 0 || waits;
    const status = skippedAt !== null ? "skipped" : isOpen ? "pending" : "done";
    return { inputId, source, type, id: externalId, title, status };
  });
}

async function ledgerEntry(
  { mutationId, connection, operation, payload, state, providerKey, result }: MutationRow,
  events: readonly string[],
  value: (payload: Payload | null) => Promise<unknown>,
): Promise<LedgerEntry> {
  return {
    mutationId,
    name: `${connection}.${operation}`,
    params: (await value(payload)) as Params,
    state,
    events,
    key: providerKey,
    result: await value(result),
  };
}
