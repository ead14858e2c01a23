import {
  type Explanation,
  eventName,
  type InputExplanation,
  type Instant,
  invariant,
  type Policy,
  type Store,
  type Subject,
  sayCause,
  sayWhy,
  type View,
} from "@holdfast/core";
import type { InputDetail, Why } from "./answers.ts";
import { eventDetail, runDetail, workflowDetail } from "./details.ts";
import { inputItems } from "./list-inputs.ts";

/** The moment that is told about, and where to look up the rest. */
export type Telling = Parameters<typeof workflowDetail>[0] & {
  readonly store: Store;
  readonly workflow: string;
  readonly now: Instant;
  readonly policy: Policy;
};

/** The chain in words, with what belongs to the subject. */
export async function tell(
  detail: Telling,
  explained: Explanation | InputExplanation,
): Promise<Why> {
  const { subject, state, because } = explained;
  const nothing = { workflow: null, run: null, event: null, input: null };
  const why = {
    ...nothing,
    subject,
    state,
    text: sayWhy(nameOf(detail.view, subject), explained),
    because: because.map((cause) => ({ cause, text: sayCause(cause) })),
  };
  switch (subject.kind) {
    case "workflow":
      return { ...why, workflow: await workflowDetail(detail) };
    case "run":
      return { ...why, run: await runDetail(detail, subject.runId) };
    case "event":
      return { ...why, event: await eventDetail(detail, subject) };
    case "input":
      return { ...why, input: await inputDetail(detail, subject.inputId, explained) };
  }
}

/** Enough to see what becomes of an input; the counts say how many there are. */
const storyEventsMax = 100;

async function inputDetail(
  detail: Telling,
  inputId: string,
  explained: Explanation | InputExplanation,
): Promise<InputDetail | null> {
  invariant("events" in explained, "an input is explained with its events");
  const { store, workflow } = detail;
  const [item] = await inputItems(store, workflow, [inputId], detail);
  if (!item) return null;
  const story: Why[] = [];
  for (const event of storyOf(explained.events)) story.push(await tell(detail, event));
  const outputIds = [...explained.appliedIds, ...explained.events.flatMap(outputId)];
  return { ...item, outputIds, story };
}

function storyOf(events: readonly Explanation[]): readonly Explanation[] {
  if (events.length <= storyEventsMax) return events;
  const open = events.filter(({ state }) => state !== "done");
  const settled = events.filter(({ state }) => state === "done");
  return [...open, ...settled].slice(0, storyEventsMax);
}

function outputId({ subject, because }: Explanation): string[] {
  const isSeen = because.some(({ kind }) => kind === "observed");
  return isSeen && subject.kind === "event" ? [eventName(subject)] : [];
}

/** What people call it, where it has a name for them. */
function nameOf(view: View, subject: Subject): string {
  switch (subject.kind) {
    case "workflow":
      return `Workflow ${view.workflow}`;
    case "run": {
      const { uiTitle, runId } = view.load("runs", subject.runId);
      return uiTitle === null ? `Run ${runId}` : `Run ${runId} (${uiTitle})`;
    }
    case "event": {
      const { topic, messageId } = subject;
      const { title } = view.load("events", topic, messageId);
      return title === null ? `Event ${messageId} of ${topic}` : `${title} (${topic})`;
    }
    case "input":
      return view.load("inputs", subject.inputId).title;
  }
}
