import type { ActivityAnswer } from "@holdfast/protocol";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { usePageTitle } from "../../frame/page-title.ts";
import { Empty } from "../../show/empty.tsx";
import { Filter } from "../../show/filter.tsx";
import { Moment } from "../../show/moment.tsx";
import { RowList } from "../../show/row-list.tsx";
import { RowParts } from "../../show/row-parts.tsx";
import { useWorkflows } from "../../show/use-workflows.ts";
import { type Said, sayCall } from "../../words/states.ts";

const from = "/page/activity";

type Happening = ActivityAnswer["items"][number];

/** What came in and what was done, over all workflows, the newest first. */
export function ActivityPage() {
  usePageTitle("Activity");
  const { workflow } = useSearch({ from });
  const navigate = useNavigate({ from });
  const workflows = useWorkflows().data?.items ?? [];
  return (
    <>
      <div className="head">
        <h1>Activity</h1>
        <Filter
          name="Workflow"
          value={workflow}
          values={workflows.map((each) => [each.workflow, each.workflow])}
          onChange={(next) => void navigate({ search: { workflow: next }, replace: true })}
          onAll={() => void navigate({ search: {}, replace: true })}
        />
      </div>
      <RowList<Happening>
        path="/activity"
        query={{ workflow }}
        what="what happened"
        idOf={happeningIdOf}
        row={(happening) => <HappeningRow happening={happening} />}
        empty={
          <Empty title="Nothing has happened yet.">
            <p>What comes in and what is done for it is told here, as it happens.</p>
          </Empty>
        }
      />
    </>
  );
}

function happeningIdOf({ workflow, kind, id }: Happening): string {
  return `${workflow} ${kind} ${id}`;
}

const cameIn: Said = { text: "came in", tone: "quiet" };

function HappeningRow({ happening }: { readonly happening: Happening }) {
  const { workflow, kind, id, at, title, state, resolution } = happening;
  const end = (
    <>
      {workflow} · <Moment at={at} />
    </>
  );
  if (kind === "input") {
    return (
      <Link
        to="/page/workflows/$workflow/inputs/$input"
        params={{ workflow, input: id }}
        className="row"
        data-row="input"
      >
        <RowParts said={cameIn} end={end}>
          {title}
        </RowParts>
      </Link>
    );
  }
  return (
    <Link
      to="/page/workflows/$workflow/outputs/$output"
      params={{ workflow, output: id }}
      className="row"
      data-row="output"
    >
      <RowParts said={sayCall({ state: state ?? "", resolution })} end={end}>
        {happening.preview ?? `${happening.operation} at ${happening.target}`}{" "}
        {title !== null && <q className="quiet">{title}</q>}
      </RowParts>
    </Link>
  );
}
