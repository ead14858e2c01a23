import {
  type EventRow,
  eventName,
  type MutationRow,
  type Need,
  type Seq,
  type Store,
} from "@holdfast/core";
import type { Filter, OutputItem, Page } from "./answers.ts";
import { type FactList, readerOf, seqOfId, walkFacts } from "./fact-list.ts";
import { FoundRows, row } from "./found-rows.ts";
import { inputNames, operationName, previewOf, scriptTitleOf } from "./items.ts";
import { isOutputMutation, topicsOfMachines } from "./outputs.ts";
import { allOf, havingText, pageOf, readPage } from "./paged-list.ts";
import { publishedAt } from "./published-at.ts";
import { causesOfRun, intentRunIds, loadUsedEvents, type UsedEvents } from "./used-events.ts";

type Output =
  | { readonly kind: "mutation"; readonly mutation: MutationRow }
  | { readonly kind: "event"; readonly event: EventRow };

/** What the workflow has done that can be seen from outside, and for which inputs. */
export async function listOutputs(
  store: Store,
  workflow: string,
  query: Filter & { readonly kind: OutputItem["kind"] | null },
): Promise<Page<OutputItem>> {
  const { kind } = query;
  const readers = [
    ...(kind === "event" ? [] : [readerOf(store, workflow, callList)]),
    ...(kind === "mutation" ? [] : [readerOf(store, workflow, eventList)]),
  ];
  const ofMachines = await topicsOfMachines(store, workflow);
  const isDone = (output: Output) =>
    output.kind === "event"
      ? !ofMachines.has(output.event.topic)
      : isOutputMutation(output.mutation);
  const isAll = kind === "event" && ofMachines.size === 0;
  const pick = allOf(isAll ? null : isDone, havingText(query.text, textsOf));
  const walk = await walkFacts(store, workflow, { readers, filter: query, seqOf, pick });
  const page = await readPage<Output>(walk, query);
  const { found, used } = await loadCauses(store, workflow, page.rows);
  const items: OutputItem[] = [];
  for (const output of page.rows) {
    items.push(
      output.kind === "mutation"
        ? mutationItem(found, output.mutation, used)
        : await eventItem(store, workflow, found, output.event),
    );
  }
  return pageOf(items, page);
}

const callList: FactList<"mutations", Output> = {
  list: "mutations",
  of: [],
  as: (mutation) => ({ kind: "mutation", mutation }),
};

const eventList: FactList<"outputEvents", Output> = {
  list: "outputEvents",
  of: [],
  as: (event) => ({ kind: "event", event }),
};

/** Of the fact that recorded or published it. */
function seqOf(output: Output): Seq {
  return output.kind === "event" ? output.event.position : seqOfId(output.mutation.mutationId);
}

function textsOf(output: Output): readonly (string | null)[] {
  if (output.kind === "event") return [eventName(output.event), output.event.title];
  const { mutationId, target, uiTitle } = output.mutation;
  return [mutationId, operationName(output.mutation), target, uiTitle];
}

async function loadCauses(
  store: Store,
  workflow: string,
  outputs: readonly Output[],
): Promise<{ readonly found: FoundRows; readonly used: UsedEvents }> {
  const found = new FoundRows(store, workflow);
  await found.load(outputs.flatMap(runNeed));
  const intents = intentRunIds(found.rows("runs"));
  const used = await loadUsedEvents(store, workflow, found, intents);
  const events = [
    ...found.rows("events"),
    ...outputs.flatMap((output) => (output.kind === "event" ? [output.event] : [])),
  ];
  const causes = events.flatMap(({ causedBy }) => causedBy);
  await found.load(causes.map((inputId) => row("inputs", inputId)));
  return { found, used };
}

/** The run behind a mutation with its events; of the one that published an event only its time. */
function runNeed(output: Output): Need[] {
  if (output.kind === "mutation") return [{ kind: "run", runId: output.mutation.runId }];
  const { createdBy } = output.event;
  return createdBy === null ? [] : [row("runs", createdBy)];
}

function mutationItem(found: FoundRows, mutation: MutationRow, used: UsedEvents): OutputItem {
  const { mutationId, runId, target, settledAt, recordedAt, resolution } = mutation;
  const { itemId } = mutation;
  return {
    kind: "mutation",
    outputId: mutationId,
    title: scriptTitleOf(mutation),
    preview: previewOf(mutation),
    operation: operationName(mutation),
    target,
    at: settledAt ?? recordedAt,
    resolution,
    itemId,
    runId,
    inputs: inputNames(found, causesOfRun(found, used, runId)),
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
