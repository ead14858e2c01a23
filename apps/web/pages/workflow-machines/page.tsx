import type { MachinesAnswer } from "@holdfast/protocol";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { of } from "../../ask/api.ts";
import { useAsk } from "../../ask/asked.ts";
import { Answered } from "../../show/answered.tsx";
import { CellRow } from "../../show/cell-row.tsx";
import { Empty } from "../../show/empty.tsx";
import { Filter } from "../../show/filter.tsx";
import { ListPage } from "../../show/list-page.tsx";
import { type Cell, machineName, sayCellStatus } from "../../words/machines.ts";
import { Overview } from "./overview.tsx";
import { ProposalRows } from "./proposal-rows.tsx";
import { ReplayCheck } from "./replay-check.tsx";

const from = "/page/workflows/$workflow/machines";
const statuses = ["failed", "waiting", "running", "completed"].map(
  (each) => [each, sayCellStatus(each).text] as const,
);

/** What the machines of a workflow keep track of, one by one, and how each does. */
export function MachinesPage() {
  const { workflow } = useParams({ from });
  const { machine, ...search } = useSearch({ from });
  const navigate = useNavigate({ from });
  const query = useAsk<MachinesAnswer>(of(workflow, "machines"));
  const machines = query.data?.items.map((each) => each.machine) ?? [];
  const go = (next: object) => void navigate({ search: { ...next }, replace: true });
  const kept = machine === undefined ? {} : { machine };
  return (
    <>
      <Answered query={query} what="the machines">
        {({ items }) => <Overview workflow={workflow} machines={items} />}
      </Answered>
      <ProposalRows workflow={workflow} />
      <ListPage<Cell>
        workflow={workflow}
        list="machines/cells"
        command={["machine", "cells"]}
        search={search}
        onSearch={(next) => go({ ...kept, ...next })}
        values={statuses}
        what="what they keep track of"
        idOf={cellIdOf}
        row={(cell) => <CellRow workflow={workflow} cell={cell} />}
        empty={<Empty title="There is none like that." />}
        query={kept}
        filters={
          machines.length > 1 && (
            <Filter
              name="Machine"
              value={machine}
              values={machines.map((each) => [each, machineName(each)])}
              onChange={(next) => go({ ...search, machine: next })}
              onAll={() => go(search)}
            />
          )
        }
      />
      <ReplayCheck key={workflow} workflow={workflow} />
    </>
  );
}

function cellIdOf({ cell }: Cell): string {
  return cell;
}
