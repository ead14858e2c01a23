import { EventPanel } from "../../show/event-panel.tsx";
import { Fold } from "../../show/fold.tsx";
import { countText } from "../../words/values.ts";
import type { Input } from "./page.tsx";

/** For the curious: events and runs, as the host keeps them. */
export function Behind({ workflow, input }: { readonly workflow: string; readonly input: Input }) {
  const events = input.story.flatMap(({ event }) => event ?? []);
  return (
    <Fold title={`Details: ${countText(events.length, "event")} and the runs behind`}>
      {() => (
        <>
          <p className="quiet">
            Input <code>{input.inputId}</code>
          </p>
          {events.map((event) => (
            <EventPanel
              key={`${event.topic}/${event.messageId}`}
              workflow={workflow}
              event={event}
            />
          ))}
        </>
      )}
    </Fold>
  );
}
