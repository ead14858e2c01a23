import type { WorkflowShownAnswer } from "@holdfast/protocol";
import { useParams } from "@tanstack/react-router";
import { of } from "../../ask/api.ts";
import { useAsk } from "../../ask/asked.ts";
import { Answered } from "../../show/answered.tsx";
import { CommandButton } from "../../show/command-button.tsx";
import { Moment } from "../../show/moment.tsx";
import { sayStart } from "../../words/commands.ts";
import { Graph } from "./graph.tsx";

/** For the curious: what makes events, where they lie, who works them off. */
export function WiringPage() {
  const { workflow } = useParams({ from: "/page/workflows/$workflow/wiring" });
  const query = useAsk<WorkflowShownAnswer>(of(workflow));
  return (
    <Answered query={query} what="how it is wired">
      {(shown) => (
        <>
          <section className="panel">
            <h2>From what comes in to what is done</h2>
            <div className="graph-place">
              <Graph workflow={workflow} shown={shown} />
            </div>
          </section>
          <Handlers workflow={workflow} handlers={shown.handlers} />
        </>
      )}
    </Answered>
  );
}

type Handler = WorkflowShownAnswer["handlers"][number];

function Handlers({
  workflow,
  handlers,
}: {
  readonly workflow: string;
  readonly handlers: readonly Handler[];
}) {
  return (
    <div className="table-place">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">Handler</th>
            <th scope="col">Kind</th>
            <th scope="col">Starts</th>
            <th scope="col">Next</th>
            <th scope="col">
              <span className="quiet">Deeds</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {handlers.map(({ handler, kind, start, nextRunAt, wakeAt, declared }) => (
            <tr key={handler}>
              <th scope="row">
                {handler}
                {!declared && <span className="quiet"> (of an older version)</span>}
              </th>
              <td>{kind}</td>
              <td>{sayStart(start)}</td>
              <td>
                <Moment at={nextRunAt ?? wakeAt} />
              </td>
              <td className="wide">
                {kind === "producer" && (
                  <CommandButton
                    workflow={workflow}
                    command="reset_producer"
                    body={{ handler }}
                    says="Let it forget …"
                    warns={forgets}
                    least="admin"
                  />
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const forgets =
  "What it remembers of its last look is gone, and it looks from the beginning. What it finds a " +
  "second time under the same id is not worked on twice.";
