import type { MachineTraceAnswer } from "@holdfast/protocol";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { of } from "../../ask/api.ts";
import { useAsk } from "../../ask/asked.ts";
import { usePageTitle } from "../../frame/page-title.ts";
import { Answered } from "../../show/answered.tsx";
import { CellOfId } from "../../show/cell-of-id.tsx";
import { CopyCommand } from "../../show/copy-command.tsx";
import { Fold } from "../../show/fold.tsx";
import { Mark } from "../../show/mark.tsx";
import { TimelineStep } from "../../show/timeline-step.tsx";
import { ValueTable } from "../../show/value-table.tsx";
import { ValueTree } from "../../show/value-tree.tsx";
import { sayTraced, sayTraceState, sayWaits, whoseRecord } from "../../words/machine-trace.ts";
import { sayCellStatus } from "../../words/machines.ts";
import { countText, type Json } from "../../words/values.ts";
import { FollowForm } from "./follow-form.tsx";

const from = "/page/workflows/$workflow/trace";

/** All that came of one thing, over every cell it reached, and why it is as it is. */
export function MachineTracePage() {
  const { workflow } = useParams({ from });
  const search = useSearch({ from });
  const navigate = useNavigate({ from });
  const isAsked = Object.keys(search).length > 0;
  const path = of(workflow, "machines", "trace");
  const query = useAsk<MachineTraceAnswer>(isAsked ? path : null, search);
  usePageTitle("What came of it");
  const words = Object.entries(search).flatMap(([name, value]) => [`--${name}`, value]);
  return (
    <>
      <p className="way">
        <Link to="/page/workflows/$workflow" params={{ workflow }}>
          {workflow}
        </Link>{" "}
        ›{" "}
        <Link to="/page/workflows/$workflow/machines" params={{ workflow }}>
          Machines
        </Link>
      </p>
      <h1>What came of it</h1>
      <FollowForm
        key={JSON.stringify(search)}
        workflow={workflow}
        search={search}
        onFollow={(next) => void navigate({ search: next })}
      />
      {isAsked && (
        <Answered query={query} what="all that came of it">
          {(trace) => <Shown workflow={workflow} trace={trace} />}
        </Answered>
      )}
      {isAsked && <CopyCommand words={["machine", "trace", workflow, ...words]} />}
    </>
  );
}

type Props = { readonly workflow: string; readonly trace: MachineTraceAnswer };

function Shown({ workflow, trace }: Props) {
  const { state, waits, window, items } = trace;
  const { said, todo } = sayTraceState(trace);
  return (
    <>
      <section className="thing-head">
        <div className="head">
          <p>{said.text}</p>
          <Mark said={sayCellStatus(statusOf(state))} />
        </div>
        {todo !== null && <p className="quiet">What to do: {todo}</p>}
        <p>
          {waits.instances.map(({ cell }) => (
            <span key={cell} className="reached">
              <CellOfId workflow={workflow} id={cell} />
            </span>
          ))}
        </p>
        <ul className="plain-list quiet">
          {sayWaits(trace).map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      </section>
      <section className="panel">
        <h2>
          What happened{" "}
          {window.count > items.length && (
            <span className="quiet">
              the last {items.length} of {countText(window.count, "record")}
            </span>
          )}
        </h2>
        <div className="panel-body">
          <ol className="timeline">
            {items.map((item) => (
              <Step key={item.seq} item={item} items={items} />
            ))}
          </ol>
          <Fold title="Details: as it is recorded">
            {() =>
              items.map(({ seq, kind, record }) => (
                <Fold key={seq} title={`${seq} ${kind}`}>
                  {() => <ValueTable value={record as Json} />}
                </Fold>
              ))
            }
          </Fold>
        </div>
      </section>
    </>
  );
}

function statusOf(state: string): string {
  if (state === "failed" || state === "completed") return state;
  return state === "waiting_receipt" ? "waiting" : "running";
}

type Item = MachineTraceAnswer["items"][number];

function Step({ item, items }: { readonly item: Item; readonly items: readonly Item[] }) {
  const told = sayTraced(item, items);
  const { value, title } = told;
  const whose = whoseRecord(item);
  return (
    <TimelineStep said={told} at={told.at}>
      <p>
        {whose !== null && <strong>{whose}:</strong>} {told.text}
      </p>
      {value !== undefined && <Fold title={title}>{() => <ValueTree value={value} />}</Fold>}
    </TimelineStep>
  );
}
