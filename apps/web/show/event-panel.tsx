import { sayEvent, sayRun } from "../words/states.ts";
import type { EventFacts } from "../words/why.ts";
import { RunLink } from "./run-link.tsx";
import { ValueTable } from "./value-table.tsx";

type Props = { readonly workflow: string; readonly event: EventFacts };

/** One event as the host keeps it, with the run that made it and those that held it. */
export function EventPanel({ workflow, event }: Props) {
  const { topic, messageId, status, payload, createdBy, runs } = event;
  return (
    <section className="panel">
      <h2>
        {topic} <code>{messageId}</code> <span className="quiet">{sayEvent(status).text}</span>
      </h2>
      <div className="panel-body">
        <ValueTable value={payload} />
        <p className="quiet">
          {createdBy === null ? "Published by hand." : "Published by run "}
          {createdBy !== null && <RunLink workflow={workflow} runId={createdBy} />}
        </p>
        {runs.map((run) => (
          <p key={run.runId}>
            <RunLink workflow={workflow} runId={run.runId} /> {sayRun(run.status).text}
            {run.attempt > 1 && `, attempt ${run.attempt}`}
          </p>
        ))}
      </div>
    </section>
  );
}
