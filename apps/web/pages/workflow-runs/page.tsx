import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { Empty } from "../../show/empty.tsx";
import { ListPage } from "../../show/list-page.tsx";
import { Moment } from "../../show/moment.tsx";
import { RowParts } from "../../show/row-parts.tsx";
import { sayRun } from "../../words/states.ts";
import type { Run } from "../../words/why.ts";

const from = "/page/workflows/$workflow/runs";
const statuses = [
  ["open", "not finished"],
  ...["committed", "failed:logic", "failed:internal", "crashed", "aborted"].map(
    (each) => [each, sayRun(each).text] as const,
  ),
] as const;

/** For the curious: every attempt of every handler. */
export function RunsPage() {
  const { workflow } = useParams({ from });
  const navigate = useNavigate({ from });
  return (
    <ListPage<Run>
      workflow={workflow}
      list="runs"
      command={["runs", "ls"]}
      search={useSearch({ from })}
      onSearch={(search) => void navigate({ search, replace: true })}
      values={statuses}
      what="the runs"
      idOf={runIdOf}
      row={(run) => <RunRow workflow={workflow} run={run} />}
      empty={<Empty title="No run is like that." />}
    />
  );
}

function runIdOf({ runId }: Run): string {
  return runId;
}

function RunRow({ workflow, run }: { readonly workflow: string; readonly run: Run }) {
  const { runId, handler, title, status, startedAt, failure } = run;
  return (
    <Link
      to="/page/workflows/$workflow/runs/$run"
      params={{ workflow, run: runId }}
      className="row"
      data-row="run"
    >
      <RowParts
        said={sayRun(status)}
        end={
          <>
            {runId} · <Moment at={startedAt} />
          </>
        }
      >
        {handler} <span className="quiet">{failure?.message ?? title ?? ""}</span>
      </RowParts>
    </Link>
  );
}
