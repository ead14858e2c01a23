import {
  type EventRow,
  eventName,
  type Instant,
  invariant,
  type MutationRow,
  type Need,
  type Store,
} from "@holdfast/core";
import type { OutputItem, Page, PageQuery } from "./answers.ts";
import { FoundRows, row } from "./found-rows.ts";
import { inputNames, operationName } from "./items.ts";
import { Newest, rankOfId } from "./newest.ts";
import { isOutputEvent, isOutputMutation } from "./outputs.ts";
import { readRecord } from "./read-record.ts";

type Output =
  | { readonly kind: "mutation"; readonly mutation: MutationRow }
  | { readonly kind: "event"; readonly event: EventRow };

/** What the workflow has done that can be seen from outside, and for which inputs. */
export async function listOutputs(
  store: Store,
  workflow: string,
  query: PageQuery & { readonly kind: OutputItem["kind"] | null },
): Promise<Page<OutputItem>> {
  const newest = new Newest<Output>(query, placeOf);
  if (query.kind !== "event") {
    for await (const mutation of store.scan(workflow, "mutations")) {
      if (isOutputMutation(mutation)) newest.add({ kind: "mutation", mutation });
    }
  }
  if (query.kind !== "mutation") {
    for await (const event of store.scan(workflow, "events")) {
      if (isOutputEvent(event)) newest.add({ kind: "event", event });
    }
  }
  const outputs = newest.rows();
  const found = await loadCauses(store, workflow, outputs);
  const items: OutputItem[] = [];
  for (const output of outputs) {
    items.push(
      output.kind === "mutation"
        ? mutationItem(found, output.mutation)
        : await eventItem(store, workflow, found, output.event),
    );
  }
  return newest.page(items);
}

/** By the fact that recorded or published it. */
function placeOf(output: Output) {
  if (output.kind === "event") {
    return { rank: output.event.position, id: eventName(output.event) };
  }
  const { mutationId: id } = output.mutation;
  return { rank: rankOfId(id), id };
}

async function loadCauses(
  store: Store,
  workflow: string,
  outputs: readonly Output[],
): Promise<FoundRows> {
  const found = new FoundRows(store, workflow);
  await found.load(outputs.flatMap(runNeed));
  const events = [
    ...found.rows("events"),
    ...outputs.flatMap((output) => (output.kind === "event" ? [output.event] : [])),
  ];
  const causes = events.flatMap(({ causedBy }) => causedBy);
  await found.load(causes.map((inputId) => row("inputs", inputId)));
  return found;
}

/** The run behind a mutation with its events; of the one that published an event only its time. */
function runNeed(output: Output): Need[] {
  if (output.kind === "mutation") return [{ kind: "run", runId: output.mutation.runId }];
  const { createdBy } = output.event;
  return createdBy === null ? [] : [row("runs", createdBy)];
}

function mutationItem(found: FoundRows, mutation: MutationRow): OutputItem {
  const { mutationId, runId, target, uiTitle: title, settledAt, recordedAt, resolution } = mutation;
  const held = found.rows("reservations").filter((pin) => pin.runId === runId);
  const causes = held.flatMap(
    ({ topic, messageId }) => found.find("events", topic, messageId)?.causedBy ?? [],
  );
  return {
    kind: "mutation",
    outputId: mutationId,
    title,
    operation: operationName(mutation),
    target,
    at: settledAt ?? recordedAt,
    resolution,
    runId,
    inputs: inputNames(found, causes),
  };
}

async function eventItem(
  store: Store,
  workflow: string,
  found: FoundRows,
  event: EventRow,
): Promise<OutputItem> {
  const { topic, messageId, title, createdBy, causedBy } = event;
  return {
    kind: "event",
    outputId: eventName(event),
    title,
    topic,
    messageId,
    at: await publishedAt(store, workflow, found, event),
    runId: createdBy,
    inputs: inputNames(found, causedBy),
  };
}

/** A run publishes as it commits; what was published by hand has its time in the journal only. */
async function publishedAt(
  store: Store,
  workflow: string,
  found: FoundRows,
  { createdBy, position }: EventRow,
): Promise<Instant> {
  const run = createdBy === null ? null : found.find("runs", createdBy);
  if (run?.endedAt) return run.endedAt;
  const record = await readRecord(store, workflow, position);
  invariant(record !== null, `the journal of ${workflow} has record ${position}`);
  return record.at;
}
