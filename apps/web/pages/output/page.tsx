import { Link, useParams } from "@tanstack/react-router";
import { usePageTitle } from "../../frame/page-title.ts";
import { Answered } from "../../show/answered.tsx";
import { CopyCommand } from "../../show/copy-command.tsx";
import { Evidence } from "../../show/evidence.tsx";
import { Fact } from "../../show/fact.tsx";
import { InputLinks } from "../../show/input-links.tsx";
import { Mark } from "../../show/mark.tsx";
import { Moment } from "../../show/moment.tsx";
import { RunLink } from "../../show/run-link.tsx";
import { ScriptTitle } from "../../show/script-title.tsx";
import { useWhy } from "../../show/use-why.ts";
import { ValueTable } from "../../show/value-table.tsx";
import { sayCall, sayEvent, sayGuarantee, sayResolution } from "../../words/states.ts";
import type { Json } from "../../words/values.ts";
import type { Call, EventFacts, InputName, Why } from "../../words/why.ts";

/** One thing that was done: what exactly, for what, how sure we are and why. */
export function OutputPage() {
  const { workflow, output } = useParams({ from: "/page/workflows/$workflow/outputs/$output" });
  const query = useWhy(workflow, output);
  usePageTitle("What was done");
  return (
    <>
      <p className="way">
        <Link to="/page/workflows/$workflow" params={{ workflow }}>
          {workflow}
        </Link>{" "}
        ›{" "}
        <Link to="/page/workflows/$workflow/outputs" params={{ workflow }}>
          What was done
        </Link>
      </p>
      <Answered query={query} what="what was done">
        {(why) => <Shown workflow={workflow} output={output} why={why} />}
      </Answered>
      <CopyCommand words={["why", workflow, output]} />
    </>
  );
}

type Props = { readonly workflow: string; readonly output: string; readonly why: Why };

function Shown({ workflow, output, why: { run, event } }: Props) {
  const call = run?.calls.find(({ mutationId }) => mutationId === output);
  if (call !== undefined)
    return <CallCard workflow={workflow} call={call} inputs={run?.inputs ?? []} />;
  return event === null ? null : <EventCard workflow={workflow} event={event} />;
}

type CallProps = {
  readonly workflow: string;
  readonly call: Call;
  readonly inputs: readonly InputName[];
};

function CallCard({ workflow, call, inputs }: CallProps) {
  const { operation, target, params, title, preview, guarantee, resolution, approval } = call;
  return (
    <article className="card">
      <div className="head">
        <h1>{preview ?? `${operation} at ${target}`}</h1>
        <Mark said={sayCall(call)} />
      </div>
      {title !== null && <ScriptTitle title={title} />}
      <section className="call" aria-label="What was sent">
        <p className="quiet">
          {operation} at {target}
        </p>
        <ValueTable value={params as Json} />
      </section>
      <dl className="facts">
        <Fact name="Because of">
          <InputLinks workflow={workflow} inputs={inputs} />
        </Fact>
        <Fact name="Guarantee">
          <strong>{guarantee}</strong>. {sayGuarantee(guarantee)}
        </Fact>
        <Fact name="Evidence">
          <Evidence call={call} />
        </Fact>
        {approval?.approvedAt != null && (
          <Fact name="Agreed to by">
            {approval.actor} <Moment at={approval.approvedAt} />
          </Fact>
        )}
        {resolution !== null && (
          <Fact name="Settled by">
            {resolution.actor} {sayResolution(resolution.kind)} <Moment at={resolution.at} />
          </Fact>
        )}
        <Fact name="Run">
          <RunLink workflow={workflow} runId={call.runId} />
        </Fact>
      </dl>
    </article>
  );
}

function EventCard({ workflow, event }: { readonly workflow: string; readonly event: EventFacts }) {
  return (
    <article className="card">
      <div className="head">
        <h1>{event.title ?? event.messageId}</h1>
        <Mark said={sayEvent(event.status)} />
      </div>
      <p className="quiet">{event.topic}</p>
      <ValueTable value={event.payload} />
      <dl className="facts">
        <Fact name="Because of">
          <InputLinks workflow={workflow} inputs={event.inputs} />
        </Fact>
        {event.createdBy !== null && (
          <Fact name="Run">
            <RunLink workflow={workflow} runId={event.createdBy} />
          </Fact>
        )}
        {event.runs.map((run) => (
          <Fact key={run.runId} name="Worked on by">
            <RunLink workflow={workflow} runId={run.runId} />
          </Fact>
        ))}
      </dl>
    </article>
  );
}
