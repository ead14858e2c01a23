import type { JobItemAnswer } from "@holdfast/protocol";
import { Link, useParams } from "@tanstack/react-router";
import { of } from "../../ask/api.ts";
import { useAsk } from "../../ask/asked.ts";
import { usePageTitle } from "../../frame/page-title.ts";
import { Answered } from "../../show/answered.tsx";
import { CommandButton } from "../../show/command-button.tsx";
import { CopyCommand } from "../../show/copy-command.tsx";
import { Mark } from "../../show/mark.tsx";
import { Moment } from "../../show/moment.tsx";
import { RunLink } from "../../show/run-link.tsx";
import { ScriptTitle } from "../../show/script-title.tsx";
import { sayItem } from "../../words/states.ts";
import { countText } from "../../words/values.ts";
import { Attempt } from "./attempt.tsx";
import { ItemQuestions } from "./item-questions.tsx";

/** One piece of a job's work: every attempt, what each has done outside, and how sure we are. */
export function ItemPage() {
  const { workflow, item } = useParams({ from: "/page/workflows/$workflow/items/$item" });
  const query = useAsk<JobItemAnswer>(of(workflow, "items", item));
  usePageTitle(query.data?.title ?? item);
  return (
    <>
      <p className="way">
        <Link to="/page/workflows/$workflow" params={{ workflow }}>
          {workflow}
        </Link>{" "}
        ›{" "}
        <Link to="/page/workflows/$workflow/items" params={{ workflow }}>
          Items
        </Link>
      </p>
      <Answered query={query} what="the item">
        {(found) => <Shown workflow={workflow} item={found} />}
      </Answered>
      <CopyCommand words={["items", "show", workflow, item]} />
    </>
  );
}

type Props = { readonly workflow: string; readonly item: JobItemAnswer };

function Shown({ workflow, item }: Props) {
  const { itemId, title, job, createdAt, updatedAt, createdBy, lastRunId, attempts } = item;
  return (
    <>
      <section className="thing-head">
        <div className="head">
          <h1>{itemId}</h1>
          <Mark said={sayItem(item)} />
        </div>
        {job.includes("/") ? <p className="quiet">{title}</p> : <ScriptTitle title={title} />}
        <p className="quiet">
          An item of {job} · first met <Moment at={createdAt} /> by{" "}
          <RunLink workflow={workflow} runId={createdBy} />
        </p>
        <p className="quiet">
          Changed <Moment at={updatedAt} /> by <RunLink workflow={workflow} runId={lastRunId} />
        </p>
        {item.isOrphan && (
          <p className="problem">
            The script of now makes no such id: no job meets this item again. What it was for may
            come again under another id.
          </p>
        )}
      </section>
      <ItemQuestions workflow={workflow} itemId={itemId} />
      {attempts.map((each) => (
        <Attempt
          key={each.attempt}
          workflow={workflow}
          attempt={each}
          isLast={each.attempt === item.attempt}
        />
      ))}
      <Deeds workflow={workflow} item={item} />
    </>
  );
}

function Deeds({ workflow, item: { itemId, status, attempts } }: Props) {
  const done = attempts.flatMap(({ calls }) => calls.filter(({ state }) => state === "applied"));
  const stays = `What was done stays done: ${countText(done.length, "call")}.`;
  const isOpen = status === "failed" || status === "needs_attention" || status === "processing";
  return (
    <div className="buttons">
      <CommandButton
        workflow={workflow}
        command="reprocess_items"
        body={{ itemIds: [itemId] }}
        says="Do it again …"
        warns={
          "It begins a new attempt when its job meets it again: all its calls are made once more." +
          ` ${stays} It stays on record.`
        }
      />
      {isOpen && (
        <CommandButton
          workflow={workflow}
          command="skip_item"
          body={{ itemId }}
          says="Leave it out …"
          warns={`Nothing more is sent for it, and its job goes on with the others. ${stays}`}
        />
      )}
    </div>
  );
}
