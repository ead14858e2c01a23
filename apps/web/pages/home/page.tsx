import type { WorkflowsAnswer } from "@holdfast/protocol";
import { Link } from "@tanstack/react-router";
import { usePageTitle } from "../../frame/page-title.ts";
import { useNeeds } from "../../frame/use-needs.ts";
import { Answered } from "../../show/answered.tsx";
import { CopyCommand } from "../../show/copy-command.tsx";
import { QuestionRow } from "../../show/question-row.tsx";
import { useWorkflows } from "../../show/use-workflows.ts";
import { FirstSteps } from "./first-steps.tsx";
import { WorkflowRow } from "./workflow-row.tsx";

type Workflows = Pick<WorkflowsAnswer, "items">;

const needsShown = 5;

/** What needs you, and how everything does, at one glance. */
export function HomePage() {
  usePageTitle("");
  const workflows = useWorkflows();
  return (
    <>
      <NeedsYou />
      <section>
        <div className="head">
          <h1>Workflows</h1>
          <CopyCommand words={["workflow", "ls"]} />
        </div>
        <Answered query={workflows} what="the workflows">
          {({ items }) => (items.length === 0 ? <FirstSteps /> : <Table items={items} />)}
        </Answered>
      </section>
    </>
  );
}

function NeedsYou() {
  const { data } = useNeeds();
  const items = data?.items ?? [];
  if (items.length === 0) return null;
  return (
    <section className="panel needs-panel">
      <div className="head">
        <h2>Needs you</h2>
        {items.length > needsShown && <Link to="/page/needs-you">All {items.length}</Link>}
      </div>
      {items.slice(0, needsShown).map((question) => (
        <QuestionRow key={`${question.workflow} ${question.attentionId}`} question={question} />
      ))}
    </section>
  );
}

function Table({ items }: Workflows) {
  return (
    <div className="table-place">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">Workflow</th>
            <th scope="col">State</th>
            <th scope="col" className="number">
              Waiting
            </th>
            <th scope="col" className="number">
              Done
            </th>
            <th scope="col">Last 24 hours</th>
            <th scope="col">Last</th>
            <th scope="col">Next check</th>
          </tr>
        </thead>
        <tbody>
          {items.map((each) => (
            <WorkflowRow key={each.workflow} workflow={each} />
          ))}
        </tbody>
      </table>
    </div>
  );
}
