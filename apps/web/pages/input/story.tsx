import { CallStep } from "../../show/call-step.tsx";
import { TimelineStep } from "../../show/timeline-step.tsx";
import { LongText } from "../../show/value-table.tsx";
import { WhyLine } from "../../show/why-line.tsx";
import { sayEvent } from "../../words/states.ts";
import type { Why } from "../../words/why.ts";
import type { Input } from "./page.tsx";

/** Everything that was done because of it, in order; what is still open says what it waits for. */
export function Story({ workflow, input }: { readonly workflow: string; readonly input: Input }) {
  const seen = new Set<string>();
  return (
    <ol className="timeline">
      <TimelineStep said={{ text: "came in", tone: "done" }} at={input.createdAt}>
        <p>
          came in <span className="quiet">from {input.source}</span>
        </p>
      </TimelineStep>
      {input.story.flatMap((each) => stepsOf(workflow, each, seen))}
    </ol>
  );
}

/** A call that several things led to is told once. */
function stepsOf(workflow: string, why: Why, seen: Set<string>) {
  const { event } = why;
  if (event === null) return [];
  const name = `${event.topic}/${event.messageId}`;
  const calls = event.runs.flatMap(({ mutationId }) => mutationId ?? []);
  const fresh = [...new Set(calls)].filter((id) => !seen.has(id));
  for (const id of fresh) seen.add(id);
  const steps = fresh.map((id) => <CallStep key={id} workflow={workflow} mutationId={id} />);
  const last = why.because.at(-1)?.cause;
  if (why.state !== "done" && calls.length === 0) {
    steps.push(<OpenStep key={`${name} open`} workflow={workflow} why={why} />);
  } else if (calls.length === 0) {
    steps.push(<PlainStep key={name} why={why} kind={last?.kind ?? ""} at={last?.at ?? null} />);
  }
  return steps;
}

function OpenStep({ workflow, why }: { readonly workflow: string; readonly why: Why }) {
  const said = sayEvent(why.event?.status ?? "pending");
  return (
    <TimelineStep said={said} at={null}>
      <p>
        {why.event?.title ?? why.event?.messageId} <span className="quiet">{said.text}</span>
      </p>
      <WhyLine workflow={workflow} why={why} />
    </TimelineStep>
  );
}

const plainWords: Readonly<Record<string, string>> = {
  observed: "told whoever listens",
  consumed: "looked at; nothing to do outside",
  skipped: "left out by a person",
};

type PlainProps = { readonly why: Why; readonly kind: string; readonly at: number | null };

function PlainStep({ why, kind, at }: PlainProps) {
  const { event } = why;
  return (
    <TimelineStep said={sayEvent(event?.status ?? "")} at={at}>
      <p>
        {plainWords[kind] ?? sayEvent(event?.status ?? "").text}:{" "}
        <LongText text={event?.title ?? `${event?.topic} ${event?.messageId}`} />
      </p>
    </TimelineStep>
  );
}
