import type { EventsAnswer, TopicsAnswer } from "@holdfast/protocol";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { of } from "../../ask/api.ts";
import { useAsk } from "../../ask/asked.ts";
import { CommandButton } from "../../show/command-button.tsx";
import { Empty } from "../../show/empty.tsx";
import { Filter } from "../../show/filter.tsx";
import { ListPage } from "../../show/list-page.tsx";
import { Moment } from "../../show/moment.tsx";
import { RowParts } from "../../show/row-parts.tsx";
import { sayEvent } from "../../words/states.ts";

type Event = EventsAnswer["items"][number];

const from = "/page/workflows/$workflow/events";
const statuses = ["pending", "reserved", "consumed", "skipped"].map(
  (each) => [each, sayEvent(each).text] as const,
);

/** For the curious: what is in the topics. */
export function EventsPage() {
  const { workflow } = useParams({ from });
  const { topic, ...search } = useSearch({ from });
  const navigate = useNavigate({ from });
  const topics = useAsk<TopicsAnswer>(of(workflow, "topics")).data?.items ?? [];
  const kept = topic === undefined ? {} : { topic };
  const go = (next: object) => void navigate({ search: { ...next }, replace: true });
  return (
    <ListPage<Event>
      workflow={workflow}
      list="events"
      command={["events", "ls"]}
      search={search}
      onSearch={(next) => go({ ...kept, ...next })}
      values={statuses}
      what="the events"
      idOf={eventIdOf}
      row={(event) => <EventRow workflow={workflow} event={event} />}
      empty={<Empty title="There are no such events." />}
      query={{ topic }}
      filters={
        <Filter
          name="Topic"
          value={topic}
          values={topics.map((each) => [each.topic, each.topic])}
          onChange={(next) => go({ ...search, topic: next })}
          onAll={() => go(search)}
        />
      }
      deeds={topic !== undefined && <ResetTopic workflow={workflow} topic={topic} />}
    />
  );
}

const resets =
  "Every event of this topic that was worked off or left out waits again, and is worked on anew: " +
  "what was done outside for it may be done a second time.";

function ResetTopic({ workflow, topic }: { readonly workflow: string; readonly topic: string }) {
  return (
    <CommandButton
      workflow={workflow}
      command="reset_topic"
      body={{ topic }}
      says="Work all of it off again …"
      warns={resets}
      least="admin"
    />
  );
}

function eventIdOf({ topic, messageId }: Event): string {
  return `${topic}/${messageId}`;
}

function EventRow({ workflow, event }: { readonly workflow: string; readonly event: Event }) {
  const { topic, messageId, title, status, publishedAt } = event;
  return (
    <Link
      to="/page/workflows/$workflow/events/$topic/$event"
      params={{ workflow, topic, event: messageId }}
      className="row"
      data-row="event"
    >
      <RowParts
        said={sayEvent(status)}
        end={
          <>
            {messageId} · <Moment at={publishedAt} />
          </>
        }
      >
        {title ?? messageId} <span className="quiet">{topic}</span>
      </RowParts>
    </Link>
  );
}
