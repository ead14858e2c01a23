import { Fold } from "../../show/fold.tsx";
import { Clock } from "../../show/moment.tsx";
import { TimelineStep } from "../../show/timeline-step.tsx";
import { LongText } from "../../show/value-table.tsx";
import { lengthText } from "../../words/times.ts";
import { countText } from "../../words/values.ts";
import type { TracedCall, TracedPhase } from "./traced-phase.ts";

/** One phase: how long, what it asked for, what it said, how it ended. */
export function PhaseStep({ phase }: { readonly phase: TracedPhase }) {
  const { failure, calls, logs, durationMs } = phase;
  const tone = failure === null ? "done" : "stopped";
  return (
    <TimelineStep said={{ text: phase.ended, tone }} at={phase.at}>
      <p>
        <strong>{phase.phase}</strong>{" "}
        <span className="quiet">
          {phase.ended}
          {durationMs !== null && `, ${lengthText(durationMs)}`}
        </span>
      </p>
      {failure !== null && (
        <p className="problem">
          <code>{failure.code}</code> {failure.message}
        </p>
      )}
      {calls.length > 0 && (
        <Fold title={countText(calls.length + phase.callsLeftOut, "call")}>
          {() =>
            calls.map((call, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: calls have an order and no name
              <CallLine key={index} call={call} />
            ))
          }
        </Fold>
      )}
      {logs.length > 0 && (
        <Fold title={countText(logs.length + phase.logsLeftOut, "log line")}>
          {() => (
            <ol className="known">
              {logs.map(({ at, text }, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: lines have an order and no name
                <li key={index}>
                  <Clock at={at} /> <LongText text={text} />
                </li>
              ))}
            </ol>
          )}
        </Fold>
      )}
    </TimelineStep>
  );
}

function CallLine({ call: { name, params, result, durationMs } }: { readonly call: TracedCall }) {
  return (
    <div className="call-line">
      <p>
        <code>{name}</code> <span className="quiet">{lengthText(durationMs)}</span>
      </p>
      <pre>
        <LongText text={JSON.stringify(params)} />
      </pre>
      <pre className="quiet">
        <LongText text={result === undefined ? "not answered" : JSON.stringify(result)} />
      </pre>
    </div>
  );
}
