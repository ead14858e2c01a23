import type { JobItemsAnswer, WorkflowShownAnswer } from "@holdfast/protocol";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { of } from "../../ask/api.ts";
import { useAsk } from "../../ask/asked.ts";
import { useMay } from "../../ask/use-me.ts";
import { Empty } from "../../show/empty.tsx";
import { Filter } from "../../show/filter.tsx";
import { ListPage } from "../../show/list-page.tsx";
import { Moment } from "../../show/moment.tsx";
import { RowParts } from "../../show/row-parts.tsx";
import { sayItem, sayItemStatus } from "../../words/states.ts";
import { Deeds } from "./deeds.tsx";

type Item = JobItemsAnswer["items"][number];

const from = "/page/workflows/$workflow/items";
const statuses = ["processing", "needs_attention", "failed", "skipped", "done"].map(
  (each) => [each, sayItemStatus(each).text] as const,
);

/** What the jobs of a workflow work through, piece by piece. */
export function ItemsPage() {
  const { workflow } = useParams({ from });
  const { job, ...search } = useSearch({ from });
  const navigate = useNavigate({ from });
  const jobs = useJobs(workflow);
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const go = (next: object) => void navigate({ search: { ...next }, replace: true });
  const choose = (itemId: string, isChosen: boolean) =>
    setChosen(isChosen ? [...chosen, itemId] : chosen.filter((each) => each !== itemId));
  return (
    <ListPage<Item>
      workflow={workflow}
      list="items"
      command={["items", "ls"]}
      search={search}
      onSearch={(next) => go({ ...(job === undefined ? {} : { job }), ...next })}
      values={statuses}
      what="the items"
      idOf={itemIdOf}
      row={(item) => (
        <ItemRow
          workflow={workflow}
          item={item}
          isChosen={chosen.includes(item.itemId)}
          onChoose={choose}
        />
      )}
      empty={<NoItems hasJobs={jobs.length > 0} />}
      query={{ job }}
      filters={
        <Filter
          name="Job"
          value={job}
          values={jobs.map((each) => [each, each])}
          onChange={(next) => go({ ...search, job: next })}
          onAll={() => go(search)}
        />
      }
      deeds={<Deeds workflow={workflow} job={job} chosen={chosen} onDone={() => setChosen([])} />}
    />
  );
}

function useJobs(workflow: string): readonly string[] {
  const { data } = useAsk<WorkflowShownAnswer>(of(workflow));
  const jobs = data?.handlers.filter(({ kind }) => kind === "job") ?? [];
  return jobs.map(({ handler }) => handler);
}

function NoItems({ hasJobs }: { readonly hasJobs: boolean }) {
  if (!hasJobs) {
    return (
      <Empty title="This workflow works through no items.">
        <p>Scripts with jobs do: each piece of work they go through is listed here.</p>
      </Empty>
    );
  }
  return (
    <Empty title="There is no such item.">
      <p>
        Each piece of work that a job goes through shows up here with its title, how often it was
        begun, and what was done for it.
      </p>
    </Empty>
  );
}

function itemIdOf({ itemId }: Item): string {
  return itemId;
}

type RowProps = {
  readonly workflow: string;
  readonly item: Item;
  readonly isChosen: boolean;
  readonly onChoose: (itemId: string, isChosen: boolean) => void;
};

function ItemRow({ workflow, item, isChosen, onChoose }: RowProps) {
  const { itemId, title, job, attempt, updatedAt } = item;
  const may = useMay("operator");
  return (
    <div className="choosable">
      {may === true && (
        <input
          type="checkbox"
          aria-label={`Choose ${itemId}`}
          checked={isChosen}
          onChange={({ currentTarget }) => onChoose(itemId, currentTarget.checked)}
        />
      )}
      <Link
        to="/page/workflows/$workflow/items/$item"
        params={{ workflow, item: itemId }}
        className="row"
        data-row="item"
      >
        <RowParts
          said={sayItem(item)}
          end={
            <>
              {job}
              {attempt > 1 && ` · attempt ${attempt}`} · <Moment at={updatedAt} />
            </>
          }
        >
          {title} <span className="quiet">{itemId}</span>
        </RowParts>
      </Link>
    </div>
  );
}
