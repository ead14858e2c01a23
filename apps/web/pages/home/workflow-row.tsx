import type { CallsAnswer, WorkflowAnswer } from "@holdfast/protocol";
import { Link } from "@tanstack/react-router";
import { of } from "../../ask/api.ts";
import { useAsk } from "../../ask/asked.ts";
import { Mark } from "../../show/mark.tsx";
import { Due, Moment } from "../../show/moment.tsx";
import { sayWorkflow } from "../../words/states.ts";
import { Sparkline } from "./sparkline.tsx";

/** What is done is not counted further: each of them is told whole. */
const countedMax = 50;

/** One line of what a workflow is doing. */
export function WorkflowRow({ workflow: shown }: { readonly workflow: WorkflowAnswer }) {
  const { workflow, pending, dueAt, lastAt, openRun, records } = shown;
  const query = { status: "applied", limit: countedMax };
  const done = useAsk<CallsAnswer>(of(workflow, "mutations"), query).data;
  const times = done?.items.map(({ settledAt, recordedAt }) => settledAt ?? recordedAt) ?? [];
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
      <td className="number">{countedText(times.length, done?.next != null)}</td>
      <td>
        <Sparkline times={times} />
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
  return isMore ? `${count}+` : `${count}`;
}
