import type { MachineTimelineAnswer } from "@holdfast/protocol";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { get, of, type Query } from "../../ask/api.ts";
import { useAsk } from "../../ask/asked.ts";
import { Answered } from "../../show/answered.tsx";
import { Fold } from "../../show/fold.tsx";
import { Problem } from "../../show/problem.tsx";
import { TimelineStep } from "../../show/timeline-step.tsx";
import { ValueTable } from "../../show/value-table.tsx";
import { ValueTree } from "../../show/value-tree.tsx";
import { type Entry, endOfStep, sayEntry, timeOf } from "../../words/machine-story.ts";
import type { Json } from "../../words/values.ts";

type Props = {
  readonly workflow: string;
  /** The cell, as the API is asked for it. */
  readonly name: Query;
  /** The same as it stands in the address. */
  readonly machine: string;
  readonly cell: string;
};

const perPage = 30;
const fromTheEnd = 0;

type Page = MachineTimelineAnswer;

/** What happened to it, in order: the newest page follows the host, earlier ones are asked for. */
export function CellStory(props: Props) {
  const { workflow, name } = props;
  const path = of(workflow, "machines", "timeline");
  const query = useAsk<Page>(path, { ...name, before: fromTheEnd, limit: perPage });
  const [earlier, setEarlier] = useState<Page | null>(null);
  const [trouble, setTrouble] = useState<unknown>(null);
  const askEarlier = async (before: number) => {
    try {
      const page = await get<Page>(path, { ...name, before, limit: perPage });
      setEarlier({ items: [...(earlier?.items ?? []), ...page.items], next: page.next });
      setTrouble(null);
    } catch (error) {
      setTrouble(error);
    }
  };
  return (
    <section className="panel">
      <h2>What happened</h2>
      <div className="panel-body">
        <Answered query={query} what="what happened">
          {(newest) => {
            const entries = inOrder(newest, earlier);
            const next = (earlier ?? newest).next;
            return (
              <>
                {next !== null && (
                  <button type="button" className="plain" onClick={() => void askEarlier(next)}>
                    Show what was before
                  </button>
                )}
                {trouble !== null && <Problem error={trouble} />}
                <Steps {...props} entries={entries} />
                <Fold title="Details: as it is recorded">
                  {() => entries.map((each) => <Kept key={each.seq} entry={each} />)}
                </Fold>
              </>
            );
          }}
        </Answered>
      </div>
    </section>
  );
}

/** The oldest first, each once: while somebody reads, the newest page moves on. */
function inOrder(newest: Page, earlier: Page | null): readonly Entry[] {
  const all = [...newest.items, ...(earlier?.items ?? [])];
  const bySeq = new Map(all.map((each) => [each.seq, each]));
  return [...bySeq.values()].sort((left, right) => left.seq - right.seq);
}

function Steps({ entries, ...props }: Props & { readonly entries: readonly Entry[] }) {
  if (entries.length === 0) return <p className="quiet">Nothing has happened to it yet.</p>;
  return (
    <ol className="timeline">
      {entries.map((entry) => (
        <Step key={entry.seq} {...props} entry={entry} entries={entries} />
      ))}
    </ol>
  );
}

function Kept({ entry: { seq, kind, record } }: { readonly entry: Entry }) {
  return <Fold title={`${seq} ${kind}`}>{() => <ValueTable value={record as Json} />}</Fold>;
}

type StepProps = Props & { readonly entry: Entry; readonly entries: readonly Entry[] };

function Step({ workflow, machine, cell, entry, entries }: StepProps) {
  const { seq, kind } = entry;
  const told = sayEntry(entry);
  const { value, title } = told;
  return (
    <TimelineStep said={told} at={timeOf(entries, seq)}>
      <p>
        {told.text}{" "}
        {kind === "step" && (
          <Link
            to="/page/workflows/$workflow/machines/$machine/$cell"
            params={{ workflow, machine, cell }}
            search={{ at: String(endOfStep(entries, seq)) }}
            className="quiet"
          >
            as it was then
          </Link>
        )}
        {kind === "event" && (
          <Link
            to="/page/workflows/$workflow/trace"
            params={{ workflow }}
            search={{ event: String(seq) }}
            className="quiet"
          >
            all that came of it
          </Link>
        )}
      </p>
      {value !== undefined && <Fold title={title}>{() => <ValueTree value={value} />}</Fold>}
    </TimelineStep>
  );
}
