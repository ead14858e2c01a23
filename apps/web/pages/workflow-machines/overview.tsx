import type { MachinesAnswer } from "@holdfast/protocol";
import { Link } from "@tanstack/react-router";
import { machineName } from "../../words/machines.ts";

type Machine = MachinesAnswer["items"][number];
type Props = { readonly workflow: string; readonly machines: readonly Machine[] };

/** How much there is of each; every number leads to what it counts. */
export function Overview({ workflow, machines }: Props) {
  return (
    <div className="table-place">
      <table className="table folds machines">
        <thead>
          <tr>
            <th scope="col">Machine</th>
            <th scope="col" className="number">
              All
            </th>
            <th scope="col" className="number">
              Stopped
            </th>
            <th scope="col" className="number">
              Answers to come
            </th>
            <th scope="col" className="number">
              To look at
            </th>
          </tr>
        </thead>
        <tbody>
          {machines.map((each) => (
            <Row key={each.machine} workflow={workflow} machine={each} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({
  workflow,
  machine: shown,
}: {
  readonly workflow: string;
  readonly machine: Machine;
}) {
  const { machine, cells, failed, openIntents, waiting, isDeclared } = shown;
  const to = (count: number, status?: string) =>
    count === 0 ? (
      <span className="quiet">–</span>
    ) : (
      <Link
        to="/page/workflows/$workflow/machines"
        params={{ workflow }}
        search={{ machine, ...(status === undefined ? {} : { status }) }}
        className={status === "failed" ? "tone-stopped" : undefined}
      >
        {count.toLocaleString()}
      </Link>
    );
  return (
    <tr>
      <td>
        <strong>{machineName(machine)}</strong>
        {!isDeclared && <span className="quiet"> not in the version of now</span>}
      </td>
      <td className="number">{to(cells)}</td>
      <td className="number">{to(failed, "failed")}</td>
      <td className="number">{to(openIntents, "waiting")}</td>
      <td className="number">
        {waiting === 0 ? <span className="quiet">–</span> : waiting.toLocaleString()}
      </td>
    </tr>
  );
}
