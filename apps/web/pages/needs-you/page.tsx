import { useNavigate, useSearch } from "@tanstack/react-router";
import { usePageTitle } from "../../frame/page-title.ts";
import { useNeeds } from "../../frame/use-needs.ts";
import { Answered } from "../../show/answered.tsx";
import { CopyCommand } from "../../show/copy-command.tsx";
import { Empty } from "../../show/empty.tsx";
import { Filter } from "../../show/filter.tsx";
import { QuestionRow } from "../../show/question-row.tsx";
import { headingOf, type Question } from "../../words/questions.ts";
import { Batch } from "./batch.tsx";
import { batchesOf } from "./batches-of.ts";

/** Every open question of this host, in one list. */
export function NeedsYouPage() {
  usePageTitle("Needs you");
  const search = useSearch({ from: "/page/needs-you" });
  const query = useNeeds();
  return (
    <>
      <div className="head">
        <h1>Needs you</h1>
        <CopyCommand words={["attention", "ls"]} />
      </div>
      <Answered query={query} what="the open questions">
        {({ items, next }) => (
          <>
            <Filters items={items} />
            <Questions items={items.filter((each) => keeps(each, search))} />
            {next !== null && (
              <p className="quiet">
                These are the newest {items.length}. Answer some, and older ones show up.
              </p>
            )}
          </>
        )}
      </Answered>
    </>
  );
}

type Search = { readonly workflow?: string; readonly kind?: string };

function keeps({ workflow, kind }: Question, search: Search): boolean {
  const isOfWorkflow = search.workflow === undefined || search.workflow === workflow;
  return isOfWorkflow && (search.kind === undefined || search.kind === kind);
}

type Items = { readonly items: readonly Question[] };

function Filters({ items }: Items) {
  const search = useSearch({ from: "/page/needs-you" });
  const navigate = useNavigate({ from: "/page/needs-you" });
  if (items.length < 2) return null;
  const set = (next: Search) => void navigate({ search: next, replace: true });
  const kinds = new Map(items.map((each) => [each.kind, headingOf(each).text]));
  return (
    <div className="filters">
      <Filter
        name="Workflow"
        value={search.workflow}
        values={[...new Set(items.map(({ workflow }) => workflow))].map((each) => [each, each])}
        onChange={(workflow) => set({ ...search, ...(workflow ? { workflow } : {}) })}
        onAll={() => set(search.kind ? { kind: search.kind } : {})}
      />
      <Filter
        name="Kind"
        value={search.kind}
        values={[...kinds]}
        onChange={(kind) => set({ ...search, ...(kind ? { kind } : {}) })}
        onAll={() => set(search.workflow ? { workflow: search.workflow } : {})}
      />
    </div>
  );
}

function Questions({ items }: Items) {
  if (items.length === 0) {
    return (
      <Empty title="Nothing needs you.">
        <p>
          When a script wants to do something that you did not allow beforehand, or nobody can know
          whether something happened, it is asked here. The count stands in the tab of your browser.
        </p>
      </Empty>
    );
  }
  const batches = batchesOf(items);
  return (
    <>
      {batches.map((batch) => (
        <Batch key={batch.name} batch={batch} />
      ))}
      <div className="panel">
        {items.map((each) => (
          <QuestionRow key={`${each.workflow} ${each.attentionId}`} question={each} />
        ))}
      </div>
    </>
  );
}
