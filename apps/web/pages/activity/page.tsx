import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { usePageTitle } from "../../frame/page-title.ts";
import { Answered } from "../../show/answered.tsx";
import { Empty } from "../../show/empty.tsx";
import { Filter } from "../../show/filter.tsx";
import { Mark } from "../../show/mark.tsx";
import { Moment } from "../../show/moment.tsx";
import { useWorkflows } from "../../show/use-workflows.ts";
import { type Happening, useHappenings } from "./use-happenings.ts";

const from = "/page/activity";
/** Of more, those that moved last are looked at. */
const workflowsMax = 20;

/** What came in and what was done, over all workflows, the newest first. */
export function ActivityPage() {
  usePageTitle("Activity");
  const { workflow } = useSearch({ from });
  const navigate = useNavigate({ from });
  const query = useWorkflows();
  return (
    <>
      <div className="head">
        <h1>Activity</h1>
        <Filter
          name="Workflow"
          value={workflow}
          values={(query.data?.items ?? []).map((each) => [each.workflow, each.workflow])}
          onChange={(next) => void navigate({ search: { workflow: next }, replace: true })}
          onAll={() => void navigate({ search: {}, replace: true })}
        />
      </div>
      <Answered query={query} what="the workflows">
        {({ items }) => {
          const latest = items.toSorted((a, b) => (b.lastAt ?? 0) - (a.lastAt ?? 0));
          const names = latest.slice(0, workflowsMax).map((each) => each.workflow);
          return <Happenings workflows={workflow === undefined ? names : [workflow]} />;
        }}
      </Answered>
    </>
  );
}

function Happenings({ workflows }: { readonly workflows: readonly string[] }) {
  const happenings = useHappenings(workflows);
  if (happenings === null) return <p className="quiet">Asking the host for what happened …</p>;
  if (happenings.length === 0) {
    return (
      <Empty title="Nothing has happened yet.">
        <p>What comes in and what is done for it is told here, as it happens.</p>
      </Empty>
    );
  }
  return (
    <div className="panel">
      {happenings.map((each) => (
        <HappeningRow key={each.id} happening={each} />
      ))}
    </div>
  );
}

function HappeningRow({ happening }: { readonly happening: Happening }) {
  const { said, text, title, workflow, at } = happening;
  const inner = (
    <>
      <Mark said={said} />
      <span className="row-line">
        {text} {title !== null && <q className="quiet">{title}</q>}
      </span>
      <span className="row-end quiet">
        {workflow} · <Moment at={at} />
      </span>
    </>
  );
  if (happening.kind === "input") {
    return (
      <Link
        to="/page/workflows/$workflow/inputs/$input"
        params={{ workflow, input: happening.name }}
        className="row"
        data-row="input"
      >
        {inner}
      </Link>
    );
  }
  return (
    <Link
      to="/page/workflows/$workflow/outputs/$output"
      params={{ workflow, output: happening.name }}
      className="row"
      data-row="output"
    >
      {inner}
    </Link>
  );
}
