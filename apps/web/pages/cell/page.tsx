import type { CellAnswer, IntentsAnswer } from "@holdfast/protocol";
import { Link, useParams, useSearch } from "@tanstack/react-router";
import { AskProblem, of } from "../../ask/api.ts";
import { useAsk } from "../../ask/asked.ts";
import { usePageTitle } from "../../frame/page-title.ts";
import { Answered } from "../../show/answered.tsx";
import { onlyCell } from "../../show/cell-params.ts";
import { CopyCommand } from "../../show/copy-command.tsx";
import { Empty } from "../../show/empty.tsx";
import { Fact } from "../../show/fact.tsx";
import { Fold } from "../../show/fold.tsx";
import { Mark } from "../../show/mark.tsx";
import { ValueTree } from "../../show/value-tree.tsx";
import { cellName, machineName, sayCell, sayVerdict } from "../../words/machines.ts";
import type { Json } from "../../words/values.ts";
import { CellStory } from "./cell-story.tsx";
import { Deeds } from "./deeds.tsx";
import { Mailbox } from "./mailbox.tsx";
import { OpenIntents } from "./open-intents.tsx";

const from = "/page/workflows/$workflow/machines/$machine/$cell";

/** One of what a machine keeps track of: how it is, what it waits for, and how it came to that. */
export function CellPage() {
  const { workflow, machine: short, cell } = useParams({ from });
  const { at } = useSearch({ from });
  const machine = short.includes("/") ? short : `${workflow}/${short}`;
  const name = { machine, ...(cell === onlyCell ? {} : { key: cell }) };
  const query = useAsk<CellAnswer>(of(workflow, "machines", "state"), { ...name, at });
  const intents = useAsk<IntentsAnswer>(of(workflow, "machines", "intents"), name);
  usePageTitle(query.data === undefined ? "" : cellName(query.data));
  const typed = cell === onlyCell ? [] : ["--cell", cell];
  const then = at === undefined ? [] : ["--at", at];
  return (
    <>
      <p className="way">
        <Link to="/page/workflows/$workflow" params={{ workflow }}>
          {workflow}
        </Link>{" "}
        ›{" "}
        <Link to="/page/workflows/$workflow/machines" params={{ workflow }}>
          Machines
        </Link>{" "}
        ›{" "}
        <Link to="/page/workflows/$workflow/machines" params={{ workflow }} search={{ machine }}>
          {machineName(machine)}
        </Link>
      </p>
      {isNothing(query.error) ? (
        <Empty title={`${machineName(machine)} keeps track of nothing by this name.`}>
          <p>It may have ended, or nothing has come in for it yet.</p>
        </Empty>
      ) : (
        <Answered query={query} what="how it is">
          {(found) => (
            <Shown
              workflow={workflow}
              cell={found}
              intents={intents.data?.items ?? []}
              isPast={at !== undefined}
            />
          )}
        </Answered>
      )}
      <CellStory
        key={`${workflow} ${short} ${cell}`}
        workflow={workflow}
        name={name}
        cell={cell}
        machine={short}
      />
      <CopyCommand words={["machine", "state", workflow, machine, ...typed, ...then]} />
    </>
  );
}

function isNothing(error: unknown): boolean {
  return error instanceof AskProblem && error.status === 404;
}

type Props = {
  readonly workflow: string;
  readonly cell: CellAnswer;
  readonly intents: IntentsAnswer["items"];
  /** It is shown as it was, not as it is. */
  readonly isPast: boolean;
};

function Shown({ workflow, cell, intents, isPast }: Props) {
  const { state, stateBytes, height, snapshot, lastEvent, version } = cell;
  return (
    <>
      <section className="thing-head">
        <div className="head">
          <h1>{cellName(cell)}</h1>
          <Mark said={sayCell(cell)} />
        </div>
        {isPast ? <Past height={height} /> : <Verdict cell={cell} intents={intents} />}
        {!isPast && <Deeds workflow={workflow} cell={cell} />}
      </section>
      {!isPast && <OpenIntents workflow={workflow} intents={intents} />}
      <Mailbox cell={cell} />
      <section className="panel">
        <h2>What it knows</h2>
        <div className="panel-body">
          {state === null ? (
            <p className="quiet">Nothing yet: its script has not looked at anything.</p>
          ) : (
            <ValueTree value={state as Json} />
          )}
          <Fold title="Details">
            {() => (
              <dl className="facts">
                <Fact name="Cell">
                  <code>{cell.cell}</code>
                </Fact>
                <Fact name="State">{stateBytes.toLocaleString()} bytes</Fact>
                <Fact name="Last event">record {lastEvent}</Fact>
                <Fact name="Read after">
                  record {height}
                  {snapshot !== null && `, from the snapshot at ${snapshot.height} on`}
                </Fact>
                <Fact name="Version">
                  <code>{version || "–"}</code>
                </Fact>
              </dl>
            )}
          </Fold>
        </div>
      </section>
    </>
  );
}

function Past({ height }: { readonly height: number }) {
  return (
    <p className="then" role="status">
      This is how it was after record {height}.{" "}
      <Link from={from} to={from} search={{}}>
        Show how it is now
      </Link>
    </p>
  );
}

function Verdict({ cell, intents }: Pick<Props, "cell" | "intents">) {
  const { what, todo } = sayVerdict(cell, intents);
  return (
    <div className={cell.status === "failed" ? "problem" : "verdict"}>
      <p>{what}</p>
      {todo !== null && <p className="quiet">What to do: {todo}</p>}
    </div>
  );
}
