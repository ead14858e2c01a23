import type { WorkflowAnswer } from "@holdfast/protocol";
import { Link } from "@tanstack/react-router";
import { Mark } from "../../show/mark.tsx";
import { Due, Moment } from "../../show/moment.tsx";
import { sayWorkflow } from "../../words/states.ts";
import { Sparkline } from "./sparkline.tsx";

/** One line of what a workflow is doing. */
export function WorkflowRow({ workflow: shown }: { readonly workflow: WorkflowAnswer }) {
  const { workflow, pending, done, dueAt, lastAt, openRun, records } = shown;
  return (
    <tr>
      <th scope="row">
        <Link to="/page/workflows/$workflow" params={{ workflow }} data-row="workflow">
          {workflow}
        </Link>
      </th>
      <td title={`${records} records`}>
        <Mark said={sayWorkflow(shown)} />
      </td>
      <td className="number">{countedText(pending.count, pending.isMore)}</td>
      <td className="number">{countedText(done.total, false)}</td>
      <td>
        <Sparkline counts={done.hours} />
      </td>
      <td>
        <Moment at={lastAt} />
      </td>
      <td>
        <Due at={openRun === null ? dueAt : null} none="–" />
      </td>
    </tr>
  );
}

function countedText(count: number, isMore: boolean): string {
  if (count === 0) return "–";
  const text = count.toLocaleString();
  return isMore ? `${text}+` : text;
}
