import {
  eventName,
  type Fact,
  type JournalRecord,
  type Said,
  type Store,
  type View,
  type Witness,
} from "@holdfast/core";
import { readBack, readRecord } from "./read-record.ts";

/** While a workflow stands still little is written; further back nobody looks for a name. */
const recordsLookedAtMax = 10_000;

const stopping: readonly Fact["kind"][] = [
  "workflow_paused",
  "workflow_archived",
  "workflow_restored",
];

/** What the rows of the view do not say, from the journal: who stopped and who skipped. */
export async function findWitness(
  store: Pick<Store, "readJournal">,
  view: View,
  commandsWaiting: number,
): Promise<Witness> {
  const stopped = (view.find("workflows")?.status ?? "active") !== "active";
  return {
    stoppedBy: stopped ? await whoStopped(store, view) : null,
    skippedBy: await whoSkipped(store, view),
    commandsWaiting,
  };
}

async function whoStopped(store: Pick<Store, "readJournal">, view: View): Promise<Said | null> {
  const { workflow, head } = view;
  for await (const record of readBack(store, workflow, head.seq)) {
    if (stopping.includes(record.fact.kind)) return saidIn(record);
    if (head.seq - record.seq >= recordsLookedAtMax) return null;
  }
  return null;
}

/** A skip is what last changed the event, unless a run committed with it as skipped. */
async function whoSkipped(
  store: Pick<Store, "readJournal">,
  view: View,
): Promise<ReadonlyMap<string, Said>> {
  const known = new Map<string, Said>();
  const skippedAt = new Map(
    [...view.rows("inputs")].map(({ inputId, skippedAt: at }) => [inputId, at]),
  );
  for (const event of view.rows("events")) {
    if (event.status !== "skipped") continue;
    const record = await readRecord(store, view.workflow, event.revision);
    const said = record?.fact.kind === "event_skipped" ? saidIn(record) : null;
    if (said === null) continue;
    known.set(eventName(event), said);
    // An input is skipped together with its events, in one change.
    for (const inputId of event.causedBy) {
      if (skippedAt.get(inputId) === said.at) known.set(inputId, said);
    }
  }
  return known;
}

function saidIn({ fact, at }: JournalRecord): Said | null {
  return "actor" in fact ? { actor: fact.actor, at } : null;
}
