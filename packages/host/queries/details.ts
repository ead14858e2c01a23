import type {
  EventRow,
  Instant,
  Policy,
  RunRow,
  Store,
  View,
  WorkflowSummary,
} from "@holdfast/core";
import type { EventDetail, EventName, RunDetail, WorkflowDetail } from "./answers.ts";
import { callItems } from "./call-items.ts";
import { FoundRows, row } from "./found-rows.ts";
import { inputNames, runItem } from "./items.ts";
import { listWedges } from "./list-wedges.ts";
import { plainPayload } from "./plain-value.ts";
import { skippedFirings } from "./skipped-firings.ts";

type Seen = { readonly store: Store; readonly workflow: string; readonly view: View };

/** Asked often: in a long backlog the newest have to do. */
const wedgeRowsMax = 1_000;

type SeenWhole = Seen & {
  readonly summary: WorkflowSummary | null;
  readonly commandsWaiting: number;
  readonly now: Instant;
  readonly policy: Policy;
  /** Null = of the whole workflow. */
  readonly handler: string | null;
};

export async function workflowDetail(seen: SeenWhole): Promise<WorkflowDetail> {
  const { store, workflow, view, summary, commandsWaiting, handler } = seen;
  const row = view.find("workflows");
  const open = [...view.rows("attentions")].filter(({ closedAt }) => closedAt === null);
  return {
    name: view.workflow,
    status: row?.status ?? "not created",
    error: row?.error ?? null,
    version: `${row?.versionMajor ?? 0}.${row?.versionMinor ?? 0}`,
    owner: summary?.owner ?? null,
    dueAt: summary?.dueAt ?? null,
    commandsWaiting,
    openRun: [...view.rows("runs")].find((run) => run.open)?.runId ?? null,
    openAttentions: open.map(({ attentionId }) => attentionId),
    wedges: await listWedges(store, workflow, seen.now, seen.policy, wedgeRowsMax),
    skippedFirings: await skippedFirings(store, view, handler),
  };
}

export async function runDetail(
  { store, workflow, view }: Seen,
  runId: string,
): Promise<RunDetail> {
  const run = view.load("runs", runId);
  const pins = [...view.rows("reservations")].filter((pin) => pin.runId === runId);
  const pinned = pins.map((pin) => ({ pin, event: view.load("events", pin.topic, pin.messageId) }));
  const events = pinned
    .sort((a, b) => a.event.position - b.event.position)
    .map(({ pin: { topic, messageId, attempt }, event: { title, reservedBy } }) => {
      return { topic, messageId, title, attempt, isHeld: reservedBy === runId };
    });
  const mutations = [...view.rows("mutations")].filter(
    (each) => each.runId === runId || each.mutationId === run.mutationId,
  );
  const calls = mutations.sort((a, b) => a.recordedAt - b.recordedAt || a.callNo - b.callNo);
  return {
    ...runItem(run),
    events,
    inputs: await causesOf(
      { store, workflow },
      pinned.map(({ event }) => event),
    ),
    calls: await callItems(store, workflow, calls),
  };
}

export async function eventDetail(
  { store, workflow, view }: Seen,
  { topic, messageId }: EventName,
): Promise<EventDetail> {
  const event = view.load("events", topic, messageId);
  const { title, status, createdBy, attempt, deliveryCount } = event;
  const pins = [...view.rows("reservations")].filter(
    (pin) => pin.topic === topic && pin.messageId === messageId,
  );
  const runs = pins.map((pin) => ({ run: view.load("runs", pin.runId), attempt: pin.attempt }));
  return {
    topic,
    messageId,
    title,
    status,
    payload: await plainPayload(store, workflow, event.payload),
    createdBy,
    attempt,
    deliveryCount,
    inputs: await causesOf({ store, workflow }, [event]),
    runs: runs
      .sort((a, b) => a.run.asOf - b.run.asOf || a.run.startedAt - b.run.startedAt)
      .map(({ run, attempt: worked }) => holder(view, run, worked)),
  };
}

function holder(view: View, run: RunRow, attempt: number): EventDetail["runs"][number] {
  const { runId, status, mutationId } = run;
  const calls = [...view.rows("mutations")];
  const call = calls.find((each) => each.mutationId === mutationId);
  return { runId, attempt, status, mutationId, mutationState: call?.state ?? null };
}

async function causesOf(
  { store, workflow }: Pick<Seen, "store" | "workflow">,
  events: readonly EventRow[],
) {
  const found = new FoundRows(store, workflow);
  const ids = events.flatMap(({ causedBy }) => causedBy);
  await found.load(ids.map((inputId) => row("inputs", inputId)));
  return inputNames(found, ids);
}
