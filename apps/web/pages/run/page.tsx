import type { TraceAnswer } from "@holdfast/protocol";
import { Link, useParams } from "@tanstack/react-router";
import { of } from "../../ask/api.ts";
import { useAsk } from "../../ask/asked.ts";
import { usePageTitle } from "../../frame/page-title.ts";
import { Answered } from "../../show/answered.tsx";
import { ShownCall } from "../../show/call-step.tsx";
import { CopyCommand } from "../../show/copy-command.tsx";
import { Fact } from "../../show/fact.tsx";
import { InputLinks } from "../../show/input-links.tsx";
import { Mark } from "../../show/mark.tsx";
import { Moment } from "../../show/moment.tsx";
import { Problem } from "../../show/problem.tsx";
import { RunLink } from "../../show/run-link.tsx";
import { useWhy } from "../../show/use-why.ts";
import { WhyLine } from "../../show/why-line.tsx";
import { sayRun } from "../../words/states.ts";
import { lengthText } from "../../words/times.ts";
import type { Why } from "../../words/why.ts";
import { PhaseStep } from "./phase-step.tsx";
import type { TracedPhase } from "./traced-phase.ts";

/** For the curious: what one attempt did, phase by phase. */
export function RunPage() {
  const { workflow, run } = useParams({ from: "/page/workflows/$workflow/runs/$run" });
  usePageTitle(`Run ${run}`);
  const why = useWhy(workflow, run);
  const trace = useAsk<TraceAnswer>(of(workflow, "runs", run, "trace"));
  return (
    <>
      <p className="way">
        <Link to="/page/workflows/$workflow" params={{ workflow }}>
          {workflow}
        </Link>{" "}
        ›{" "}
        <Link to="/page/workflows/$workflow/runs" params={{ workflow }}>
          Runs
        </Link>
      </p>
      <Answered query={why} what="the run">
        {(found) => <Head workflow={workflow} why={found} />}
      </Answered>
      <section className="panel">
        <h2>What it did</h2>
        <div className="panel-body">
          {trace.error !== null && <Problem error={trace.error} />}
          <ol className="timeline">
            {((trace.data?.phases ?? []) as unknown as readonly TracedPhase[]).map(
              (phase, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: phases are only ever added to
                <PhaseStep key={index} phase={phase} />
              ),
            )}
            {trace.data?.sent.map((call) => (
              <ShownCall key={call.mutationId} call={call} />
            ))}
          </ol>
        </div>
      </section>
      <CopyCommand words={["trace", workflow, run]} />
    </>
  );
}

function Head({ workflow, why }: { readonly workflow: string; readonly why: Why }) {
  const { run } = why;
  if (run === null) return null;
  const { startedAt, endedAt, failure, retryOf, supersededBy } = run;
  return (
    <section className="thing-head">
      <div className="head">
        <h1>
          {run.handler} <code className="quiet">{run.runId}</code>
        </h1>
        <Mark said={sayRun(run.status)} />
      </div>
      {failure !== null && (
        <p className="problem">
          <strong>{failure.message}</strong>
          <span className="quiet">{failure.location}</span>
        </p>
      )}
      <WhyLine workflow={workflow} why={why} />
      <dl className="facts">
        <Fact name="Started">
          <Moment at={startedAt} />
          {endedAt !== null && `, took ${lengthText(endedAt - startedAt)}`}
        </Fact>
        <Fact name="Version">{run.version}</Fact>
        <Fact name="Phase">{run.phase}</Fact>
        {run.inputs.length > 0 && (
          <Fact name="Because of">
            <InputLinks workflow={workflow} inputs={run.inputs} />
          </Fact>
        )}
        <Fact name="Worked on">
          {run.events.map(({ topic, messageId }) => `${topic}/${messageId}`).join(", ") ||
            "nothing"}
        </Fact>
        {retryOf !== null && (
          <Fact name="Tries again">
            <RunLink workflow={workflow} runId={retryOf} />
          </Fact>
        )}
        {supersededBy !== null && (
          <Fact name="Tried again by">
            <RunLink workflow={workflow} runId={supersededBy} />
          </Fact>
        )}
      </dl>
    </section>
  );
}
