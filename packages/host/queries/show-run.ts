import type { Store } from "@holdfast/core";
import type { RunDetail } from "./answers.ts";
import { callItems } from "./call-items.ts";
import { seqOfId } from "./fact-list.ts";
import { FoundRows, row } from "./found-rows.ts";
import { inputNames, runItem } from "./items.ts";
import { intentRunIds, loadUsedEvents } from "./used-events.ts";

/** A run with what it holds or held, why, and what it called. Null = there is no such run. */
export async function showRun(
  store: Store,
  workflow: string,
  runId: string,
): Promise<RunDetail | null> {
  const found = new FoundRows(store, workflow);
  await found.load([{ kind: "run", runId }]);
  const run = found.find("runs", runId);
  if (run === null) return null;
  const pins = found.rows("reservations").flatMap((pin) => {
    const event = found.find("events", pin.topic, pin.messageId);
    return event === null ? [] : [{ pin, event }];
  });
  const usedBy = await loadUsedEvents(store, workflow, found, intentRunIds([run]));
  // Of a machine: it is made for them, and holds none.
  const used = (usedBy.get(runId) ?? []).flatMap(({ topic, messageId }) => {
    const event = found.find("events", topic, messageId);
    return event === null ? [] : [{ pin: event, event }];
  });
  const all = [...pins, ...used];
  const causes = all.flatMap(({ event }) => event.causedBy);
  const carried = run.mutationId === null ? [] : [row("mutations", run.mutationId)];
  await found.load([...causes.map((inputId) => row("inputs", inputId)), ...carried]);
  const calls = found
    .rows("mutations")
    .sort((left, right) => seqOfId(left.mutationId) - seqOfId(right.mutationId));
  return {
    ...runItem(run),
    events: all
      .sort((left, right) => left.event.position - right.event.position)
      .map(({ pin: { topic, messageId, attempt }, event: { title, reservedBy } }) => {
        return { topic, messageId, title, attempt, isHeld: reservedBy === runId };
      }),
    inputs: inputNames(found, causes),
    calls: await callItems(store, workflow, calls),
  };
}
