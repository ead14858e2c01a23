import type { WorkflowShownAnswer } from "@holdfast/protocol";
import { Link } from "@tanstack/react-router";
import { type Drawing, type Edge, layOut, type Node } from "./lay-out.ts";

const [nodeWidth, nodeHeight, gapX, gapY] = [176, 52, 64, 20];

type Props = { readonly workflow: string; readonly shown: WorkflowShownAnswer };

/** Drawn from left to right; the same stands as a list below it for whoever does not see it. */
export function Graph({ workflow, shown }: Props) {
  const drawing = layOut(shown);
  const width = drawing.columns * (nodeWidth + gapX) - gapX;
  const height = drawing.rows * (nodeHeight + gapY) - gapY;
  return (
    <div className="graph" style={{ width, height }}>
      <svg width={width} height={height} aria-hidden="true">
        {drawing.edges.map((edge) => (
          <path key={`${edge.from.id} ${edge.to.id}`} d={lineOf(edge)} />
        ))}
      </svg>
      {drawing.nodes.map((node) => (
        <NodeBox key={node.id} workflow={workflow} node={node} drawing={drawing} />
      ))}
    </div>
  );
}

function placeOf({ column, row }: Node) {
  return { x: column * (nodeWidth + gapX), y: row * (nodeHeight + gapY) };
}

function lineOf({ from, to }: Edge): string {
  const [a, b] = [placeOf(from), placeOf(to)];
  const [x1, y1] = [a.x + nodeWidth, a.y + nodeHeight / 2];
  const [x2, y2] = [b.x, b.y + nodeHeight / 2];
  const middle = (x1 + x2) / 2;
  return `M${x1} ${y1} C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`;
}

type NodeProps = {
  readonly workflow: string;
  readonly node: Node;
  readonly drawing: Drawing;
};

function NodeBox({ workflow, node, drawing }: NodeProps) {
  const { x, y } = placeOf(node);
  const leads = drawing.edges.filter(({ from }) => from === node).map(({ to }) => to.name);
  const style = { left: x, top: y, width: nodeWidth, height: nodeHeight };
  const label = leads.length === 0 ? undefined : `leads to ${leads.join(", ")}`;
  const inner = (
    <>
      <strong>{node.name}</strong>
      <span className="quiet">{node.says}</span>
    </>
  );
  if (node.kind === "handler") {
    return (
      <div className="node" style={style} title={label}>
        {inner}
      </div>
    );
  }
  return (
    <Link
      to="/page/workflows/$workflow/events"
      params={{ workflow }}
      search={{ topic: node.name }}
      className="node topic"
      style={style}
      title={label}
    >
      {inner}
    </Link>
  );
}
