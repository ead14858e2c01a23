import { Link } from "@tanstack/react-router";
import { CellOfId } from "../../show/cell-of-id.tsx";
import { Fold } from "../../show/fold.tsx";
import {
  countObstacles,
  groupObstacles,
  type Obstacle,
  type ObstacleGroup,
  type Obstacles,
} from "../../words/proposals.ts";
import { countText } from "../../words/values.ts";

type Props = { readonly workflow: string; readonly obstacles: Obstacles };

const shownMax = 5;

/** By reason, each with whom it is about and what to do; asked for anew when something moves. */
export function InItsWay({ workflow, obstacles }: Props) {
  const { items, left } = obstacles;
  if (items.length === 0) return <p className="quiet">Nothing stands in its way.</p>;
  return (
    <section className="panel">
      <h2>
        What stands in its way <span className="quiet">{countObstacles(obstacles)}</span>
      </h2>
      <ol className="mail">
        {groupObstacles(items).map((group) => (
          <Group key={group.why} workflow={workflow} group={group} />
        ))}
      </ol>
      {left > 0 && <p className="quiet panel-body">and {left.toLocaleString()} more</p>}
    </section>
  );
}

type GroupProps = Pick<Props, "workflow"> & { readonly group: ObstacleGroup };

function Group({ workflow, group: { what, todo, items } }: GroupProps) {
  const first = items.slice(0, shownMax);
  const rest = items.slice(shownMax);
  const about = items.filter(({ cell }) => cell !== null);
  return (
    <li>
      <p>
        <strong>{what}</strong> {about.length > 1 && <span className="quiet">{about.length}</span>}
      </p>
      <p className="quiet">What to do: {todo}</p>
      <Items workflow={workflow} items={first} />
      {rest.length > 0 && (
        <Fold title={countText(rest.length, "more", "more")}>
          {() => <Items workflow={workflow} items={rest} />}
        </Fold>
      )}
    </li>
  );
}

type ItemsProps = Pick<Props, "workflow"> & { readonly items: readonly Obstacle[] };

function Items({ workflow, items }: ItemsProps) {
  return (
    <ul className="plain-list">
      {items.map(({ cell, intentId, why }) =>
        cell === null ? null : (
          <li key={`${why} ${cell} ${intentId}`}>
            <CellOfId workflow={workflow} id={cell} />{" "}
            {intentId !== null && (
              <Link
                to="/page/workflows/$workflow/trace"
                params={{ workflow }}
                search={{ intent: intentId }}
                className="quiet"
              >
                what led to it
              </Link>
            )}
          </li>
        ),
      )}
    </ul>
  );
}
