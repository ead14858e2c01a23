import type { AuditAnswer } from "@holdfast/protocol";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { usePageTitle } from "../../frame/page-title.ts";
import { Answered } from "../../show/answered.tsx";
import { Empty } from "../../show/empty.tsx";
import { Filter } from "../../show/filter.tsx";
import { ListPage } from "../../show/list-page.tsx";
import { Moment } from "../../show/moment.tsx";
import { RowParts } from "../../show/row-parts.tsx";
import { useWorkflows } from "../../show/use-workflows.ts";
import { sayCommand } from "../../words/commands.ts";

type Asked = AuditAnswer["items"][number];

const from = "/page/audit";
const statuses = [
  ["accepted", "done"],
  ["refused", "refused"],
] as const;

/** Whatever anybody asked of a workflow, who, and what came of it. */
export function AuditPage() {
  usePageTitle("Audit");
  const search = useSearch({ from });
  const navigate = useNavigate({ from });
  const query = useWorkflows();
  return (
    <>
      <h1>Audit</h1>
      <Answered query={query} what="the workflows">
        {({ items }) => {
          const workflow = search.workflow ?? items[0]?.workflow;
          if (workflow === undefined) return <Empty title="Nobody has asked for anything yet." />;
          const set = (next: object) => void navigate({ search: { ...next }, replace: true });
          return (
            <ListPage<Asked>
              workflow={workflow}
              list="audit"
              command={["audit"]}
              search={search}
              onSearch={(next) => set({ workflow, ...next })}
              name="Came of it"
              values={statuses}
              what="what was asked"
              idOf={commandIdOf}
              row={(each) => <AskedRow asked={each} />}
              empty={
                <Empty title="Nobody has asked for anything like that.">
                  <p>Every answer, pause, deploy and reset is listed here with who gave it.</p>
                </Empty>
              }
              filters={
                <Filter
                  name="Workflow"
                  value={workflow}
                  values={items.map((each) => [each.workflow, each.workflow])}
                  onChange={(next) => set({ ...search, workflow: next })}
                  onAll={null}
                />
              }
            />
          );
        }}
      </Answered>
    </>
  );
}

function commandIdOf({ commandId }: Asked): string {
  return commandId;
}

function AskedRow({
  asked: { actor, kind, accepted, note, answeredAt },
}: {
  readonly asked: Asked;
}) {
  const said = accepted
    ? ({ text: actor, tone: "done" } as const)
    : ({ text: `${actor}: refused`, tone: "quiet" } as const);
  return (
    <div className="row">
      <RowParts said={said} sign={accepted ? "✓" : "✕"} end={<Moment at={answeredAt} />}>
        {sayCommand(kind)} <span className="quiet">{note}</span>
      </RowParts>
    </div>
  );
}
