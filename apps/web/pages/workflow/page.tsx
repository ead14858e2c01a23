import type { MachinesAnswer, QuestionsAnswer, WorkflowShownAnswer } from "@holdfast/protocol";
import { Link, Outlet, useParams } from "@tanstack/react-router";
import { of } from "../../ask/api.ts";
import { useAsk } from "../../ask/asked.ts";
import { usePageTitle } from "../../frame/page-title.ts";
import { Answered } from "../../show/answered.tsx";
import { CommandButton } from "../../show/command-button.tsx";
import { CopyCommand } from "../../show/copy-command.tsx";
import { Mark } from "../../show/mark.tsx";
import { Due } from "../../show/moment.tsx";
import { QuestionRow } from "../../show/question-row.tsx";
import { useWhy } from "../../show/use-why.ts";
import { WhyLine } from "../../show/why-line.tsx";
import { sayStart } from "../../words/commands.ts";
import { brakeText, ofWorkflow, sayWorkflow } from "../../words/states.ts";
import { tabs } from "./tabs.ts";

/** One workflow: how it does, what needs you, and a page for each thing to ask. */
export function WorkflowPage() {
  const { workflow } = useParams({ from: "/page/workflows/$workflow" });
  usePageTitle(workflow);
  const query = useAsk<WorkflowShownAnswer>(of(workflow));
  const hasMachines = (query.data?.machines.length ?? 0) > 0;
  const isThere = (tab: (typeof tabs)[number]) => !("needs" in tab) || hasMachines;
  return (
    <>
      <p className="way">
        <Link to="/">Workflows</Link>
      </p>
      <Answered query={query} what={`the workflow ${workflow}`}>
        {(shown) => <Head shown={shown} />}
      </Answered>
      <Questions workflow={workflow} />
      <nav className="tabs" aria-label={`Pages of ${workflow}`}>
        {tabs.filter(isThere).map(({ to, says, ...tab }) => (
          <Link key={to} to={to} params={{ workflow }} activeOptions={{ exact: true }}>
            {says}
            {"needs" in tab && <Stopped workflow={workflow} />}
          </Link>
        ))}
      </nav>
      <Outlet />
    </>
  );
}

/** Whatever of its machines has stopped waits for a person. */
function Stopped({ workflow }: { readonly workflow: string }) {
  const { data } = useAsk<MachinesAnswer>(of(workflow, "machines"));
  const count = data?.items.reduce((sum, { failed }) => sum + failed, 0) ?? 0;
  return count === 0 ? null : <span className="tone-stopped"> {count} stopped</span>;
}

function Head({ shown }: { readonly shown: WorkflowShownAnswer }) {
  const { workflow, version, status, error, handlers, brakes } = shown;
  const why = useWhy(workflow).data;
  const next = handlers.flatMap(({ nextRunAt }) => nextRunAt ?? []).toSorted((a, b) => a - b);
  const looks = handlers
    .filter(({ kind, declared }) => kind === "producer" && declared)
    .map(({ start }) => `looks ${sayStart(start)}`);
  return (
    <section className="thing-head">
      <div className="head">
        <h1>{workflow}</h1>
        <Mark said={sayWorkflow(shown)} />
      </div>
      <p className="quiet">
        Version {version ?? "–"} · {looks.join(", ") || "looks when told to"} · next check{" "}
        <Due at={next[0] ?? null} none="when something comes in" />
      </p>
      {error !== null && <p className="problem">{error}</p>}
      {brakes.map((operation) => (
        <p key={operation} className="problem">
          A brake is on {brakeText(operation)}: nothing of it is sent.
        </p>
      ))}
      {why !== undefined && <WhyLine workflow={workflow} why={why} />}
      <Deeds workflow={workflow} status={status} brakes={brakes} />
    </section>
  );
}

type DeedProps = Pick<WorkflowShownAnswer, "workflow" | "status" | "brakes">;

function Deeds({ workflow, status, brakes }: DeedProps) {
  return (
    <div className="buttons">
      {status === "paused" ? (
        <CommandButton
          workflow={workflow}
          command="resume_workflow"
          says="Let it go on"
          warns={null}
        />
      ) : (
        <CommandButton
          workflow={workflow}
          command="pause_workflow"
          says="Pause …"
          warns="It stops at its next boundary. What is on its way outside is still followed up."
        />
      )}
      <CommandButton workflow={workflow} command="run_now" says="Check now" warns={null} />
      {brakes.includes(ofWorkflow) ? (
        <CommandButton
          workflow={workflow}
          command="release_brake"
          body={{ operation: ofWorkflow }}
          says="Let it send again …"
          warns="What waits to be sent goes out, as far as it is still allowed."
          least="admin"
        />
      ) : (
        <CommandButton
          workflow={workflow}
          command="set_brake"
          body={{ operation: ofWorkflow, reason: "set on the page" }}
          says="Stop all sending …"
          warns="Nothing of it goes out any more until an admin lets go."
        />
      )}
      <CopyCommand words={["workflow", "show", workflow]} />
    </div>
  );
}

function Questions({ workflow }: { readonly workflow: string }) {
  const query = { status: "open", limit: 5 };
  const { data } = useAsk<QuestionsAnswer>(of(workflow, "attention"), query);
  if (data === undefined || data.items.length === 0) return null;
  return (
    <section className="panel needs-panel">
      <h2>Needs you</h2>
      {data.items.map((each) => (
        <QuestionRow key={each.attentionId} question={each} />
      ))}
    </section>
  );
}
