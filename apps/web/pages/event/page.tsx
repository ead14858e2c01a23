import { Link, useParams } from "@tanstack/react-router";
import { usePageTitle } from "../../frame/page-title.ts";
import { Answered } from "../../show/answered.tsx";
import { CommandButton } from "../../show/command-button.tsx";
import { CopyCommand } from "../../show/copy-command.tsx";
import { EventPanel } from "../../show/event-panel.tsx";
import { InputLinks } from "../../show/input-links.tsx";
import { useWhy } from "../../show/use-why.ts";
import { WhyLine } from "../../show/why-line.tsx";
import type { Why } from "../../words/why.ts";

/** For the curious: one event, what is in it, who made it, and every run that held it. */
export function EventPage() {
  const { workflow, topic, event } = useParams({
    from: "/page/workflows/$workflow/events/$topic/$event",
  });
  usePageTitle(event);
  const name = `${topic}/${event}`;
  const query = useWhy(workflow, name);
  return (
    <>
      <p className="way">
        <Link to="/page/workflows/$workflow" params={{ workflow }}>
          {workflow}
        </Link>{" "}
        ›{" "}
        <Link to="/page/workflows/$workflow/events" params={{ workflow }} search={{ topic }}>
          {topic}
        </Link>
      </p>
      <Answered query={query} what="the event">
        {(why) => <Shown workflow={workflow} why={why} />}
      </Answered>
      <CopyCommand words={["events", "show", workflow, topic, event]} />
    </>
  );
}

function Shown({ workflow, why }: { readonly workflow: string; readonly why: Why }) {
  const { event } = why;
  if (event === null) return null;
  const { topic, messageId, title, status, inputs } = event;
  const isOpen = status === "pending" || status === "reserved";
  return (
    <>
      <section className="thing-head">
        <h1>{title ?? messageId}</h1>
        <p className="quiet">
          Because of <InputLinks workflow={workflow} inputs={inputs} />
        </p>
        <WhyLine workflow={workflow} why={why} />
      </section>
      <EventPanel workflow={workflow} event={event} />
      <div className="buttons">
        <CommandButton
          workflow={workflow}
          command={isOpen ? "skip_event" : "reprocess_event"}
          body={{ topic, messageId }}
          says={isOpen ? "Leave it out …" : "Work it off again …"}
          warns={isOpen ? skips : repeats}
        />
      </div>
    </>
  );
}

const skips = "Nobody works on it any more. What was done for it stays done.";
const repeats = "It is worked on anew: what was done outside for it may be done a second time.";
