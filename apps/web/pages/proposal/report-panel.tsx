import { CellOfId } from "../../show/cell-of-id.tsx";
import { Changes } from "../../show/changes.tsx";
import { Fold } from "../../show/fold.tsx";
import { ValueTable } from "../../show/value-table.tsx";
import { machineName, sayEffect, sayFault } from "../../words/machines.ts";
import {
  type DeltaGroup,
  groupDeltas,
  newFaults,
  type Report,
  sayHorizon,
} from "../../words/proposals.ts";
import { countText, type Json } from "../../words/values.ts";

type Props = { readonly workflow: string; readonly report: Report };

const shownMax = 50;

/** What came of trying it: who would end differently first, then what it would ask for. */
export function ReportPanel({ workflow, report }: Props) {
  const { deltas, effects, pending, faults, horizon } = report;
  const groups = groupDeltas(deltas);
  const news = newFaults(report);
  const asNow = faults.filter((each) => !news.includes(each)).slice(0, shownMax);
  return (
    <section className="panel">
      <h2>What came of trying it</h2>
      <div className="panel-body report">
        <p>{sayHorizon(report)}.</p>
        {news.map(({ cell, code }) => (
          <div key={`${cell} ${code}`} className="problem">
            <p>
              <CellOfId workflow={workflow} id={cell} /> makes a mistake: {sayFault(code)}
            </p>
          </div>
        ))}
        {asNow.length > 0 && (
          <p className="cells quiet">
            Stopped by a mistake, as now:
            {asNow.map(({ cell }) => (
              <CellOfId key={cell} workflow={workflow} id={cell} />
            ))}
          </p>
        )}
        {groups.length > 0 && (
          <>
            <h3>Who ends differently</h3>
            <ul className="deltas">
              {groups.slice(0, shownMax).map((each) => (
                <Group key={each.cells[0]} workflow={workflow} group={each} />
              ))}
            </ul>
            <More count={groups.length - shownMax} />
          </>
        )}
        {effects.length > 0 && (
          <Fold title={`What it would ask for: ${countText(effects.length, "thing")}`}>
            {() => <Effects workflow={workflow} effects={effects} />}
          </Fold>
        )}
        {pending.length > 0 && <Pending workflow={workflow} pending={pending} />}
        <Fold title="Details: what was tried, what each machine may ask for">
          {() => (
            <>
              <p>{horizon.claim}</p>
              <ValueTable value={horizon as unknown as Json} />
              {report.allowlists.map(({ machine, effects: allowed }) => (
                <p key={machine}>
                  {machineName(machine)} may ask for: {allowed.join(", ") || "nothing"}
                </p>
              ))}
            </>
          )}
        </Fold>
      </div>
    </section>
  );
}

function More({ count }: { readonly count: number }) {
  return count > 0 ? <p className="quiet">and {count.toLocaleString()} more</p> : null;
}

type GroupProps = Pick<Props, "workflow"> & { readonly group: DeltaGroup };

/** One way to end differently, and everyone who does. */
function Group({ workflow, group: { says, changes, cells } }: GroupProps) {
  return (
    <li>
      <p>
        <strong>{cells.length === 1 ? "" : `${cells.length.toLocaleString()} of them: `}</strong>
        {says}
      </p>
      <Changes changes={changes} />
      <p className="cells">
        {cells.slice(0, cellsShown).map((cell) => (
          <CellOfId key={cell} workflow={workflow} id={cell} />
        ))}
        {cells.length > cellsShown && (
          <span className="quiet">and {(cells.length - cellsShown).toLocaleString()} more</span>
        )}
      </p>
    </li>
  );
}

const cellsShown = 40;

type PendingProps = Pick<Props, "workflow"> & { readonly pending: Report["pending"] };

function Pending({ workflow, pending }: PendingProps) {
  return (
    <Fold title={`What would stay open: ${countText(pending.length, "answer")} to come`}>
      {() => (
        <ul className="plain-list">
          {pending.slice(0, shownMax).map(({ cell, intentId, effect }) => (
            <li key={intentId}>
              <CellOfId workflow={workflow} id={cell} />{" "}
              <span className="quiet">{sayEffect(effect, null)}</span>
            </li>
          ))}
          <More count={pending.length - shownMax} />
        </ul>
      )}
    </Fold>
  );
}

type EffectsProps = Pick<Props, "workflow"> & { readonly effects: Report["effects"] };

function Effects({ workflow, effects }: EffectsProps) {
  return (
    <ul className="plain-list">
      {effects.slice(0, shownMax).map(({ intentId, cell, effect, params, answered }) => (
        <li key={intentId}>
          <CellOfId workflow={workflow} id={cell} /> {sayEffect(effect, params as Json)}{" "}
          <span className="quiet">
            {answered === null ? "left without an answer" : `answered: ${answered}`}
          </span>
        </li>
      ))}
      <More count={effects.length - shownMax} />
    </ul>
  );
}
