import type { ProposalAnswer } from "@holdfast/protocol";
import { Link, useParams } from "@tanstack/react-router";
import { of } from "../../ask/api.ts";
import { useAsk } from "../../ask/asked.ts";
import { usePageTitle } from "../../frame/page-title.ts";
import { Answered } from "../../show/answered.tsx";
import { CopyCommand } from "../../show/copy-command.tsx";
import { Fact } from "../../show/fact.tsx";
import { Fold } from "../../show/fold.tsx";
import { Mark } from "../../show/mark.tsx";
import { TimelineStep } from "../../show/timeline-step.tsx";
import { sayChange, sayProposal } from "../../words/proposals.ts";
import { Deeds } from "./deeds.tsx";
import { InItsWay } from "./in-its-way.tsx";
import { ReportPanel } from "./report-panel.tsx";

/** A version that would change what machines are: tried, decided on and applied. */
export function ProposalPage() {
  const { workflow, number } = useParams({ from: "/page/workflows/$workflow/proposals/$number" });
  const query = useAsk<ProposalAnswer>(of(workflow, "machines", "proposals", number));
  usePageTitle(`Proposal ${number}`);
  return (
    <>
      <p className="way">
        <Link to="/page/workflows/$workflow" params={{ workflow }}>
          {workflow}
        </Link>{" "}
        ›{" "}
        <Link to="/page/workflows/$workflow/machines" params={{ workflow }}>
          Machines
        </Link>
      </p>
      <Answered query={query} what="the proposal">
        {(proposal) => <Shown key={proposal.number} workflow={workflow} proposal={proposal} />}
      </Answered>
      <CopyCommand words={["machine", "proposal", workflow, number]} />
    </>
  );
}

export type ProposalProps = { readonly workflow: string; readonly proposal: ProposalAnswer };

function Shown({ workflow, proposal }: ProposalProps) {
  const { number, version, description, changes, report, obstacles } = proposal;
  return (
    <>
      <section className="thing-head">
        <div className="head">
          <h1>
            Version {version} <span className="quiet">proposal {number}</span>
          </h1>
          <Mark said={sayProposal(proposal)} />
        </div>
        {description !== null && <p>{description}</p>}
        <p className="quiet">{changes.map(sayChange).join(" · ")}</p>
        <Deeds workflow={workflow} proposal={proposal} />
      </section>
      {report !== null && <ReportPanel workflow={workflow} report={report} />}
      {obstacles !== null && <InItsWay workflow={workflow} obstacles={obstacles} />}
      <Story proposal={proposal} />
      <Fold title="Details">
        {() => (
          <dl className="facts">
            <Fact name="Script">
              <code>{proposal.scriptHash}</code>
            </Fact>
            <Fact name="Made against">
              <code>{proposal.base}</code>
            </Fact>
            <Fact name="What is agreed to">
              <code>{proposal.patchHash}</code>
            </Fact>
          </dl>
        )}
      </Fold>
    </>
  );
}

function Story({ proposal }: Pick<ProposalProps, "proposal">) {
  const { author, proposedAt, shadowedAt, shadowedBy, decidedAt, decidedBy, reason } = proposal;
  const { status, askedAt, askedBy, waits, appliedAt } = proposal;
  const decided = status === "rejected" ? "turned it down" : "agreed to it";
  const steps = [
    [proposedAt, `${author} proposed it`],
    [shadowedAt, `${shadowedBy} had it tried on a copy`],
    [decidedAt, `${decidedBy} ${decided}${reason === null ? "" : `: ${reason}`}`],
    [askedAt, `${askedBy} wants it applied${waits ? " as soon as it can be" : ""}`],
    [appliedAt, "applied"],
  ] as const;
  return (
    <section className="panel">
      <h2>What happened</h2>
      <div className="panel-body">
        <ol className="timeline">
          {steps.map(([at, says]) =>
            at === null ? null : (
              <TimelineStep
                key={says}
                said={{ text: says, tone: at === appliedAt ? "done" : "quiet" }}
                at={at}
              >
                <p>{says}</p>
              </TimelineStep>
            ),
          )}
        </ol>
      </div>
    </section>
  );
}
