import type { WorkflowShownAnswer } from "@holdfast/protocol";

export type Node = {
  readonly id: string;
  readonly kind: "handler" | "topic";
  readonly name: string;
  readonly says: string;
  readonly column: number;
  readonly row: number;
};

export type Edge = { readonly from: Node; readonly to: Node };

export type Drawing = {
  readonly nodes: readonly Node[];
  readonly edges: readonly Edge[];
  readonly columns: number;
  readonly rows: number;
};

type Shown = Pick<WorkflowShownAnswer, "handlers" | "topics">;
type Link = readonly [from: string, to: string];

/**
 * Producers, their topics, who works those off, and so on, from left to right: a node stands one
 * column after the last one that leads to it. What leads back to an earlier column stays where
 * it is.
 */
export function layOut({ handlers, topics }: Shown): Drawing {
  const links = linksOf({ handlers, topics });
  const ids = [
    ...handlers.map(({ handler }) => `handler ${handler}`),
    ...topics.map(({ topic }) => `topic ${topic}`),
  ];
  const columns = columnsOf(ids, links);
  const filled = new Map<number, number>();
  const place = (id: string) => {
    const column = columns.get(id) ?? 0;
    const row = filled.get(column) ?? 0;
    filled.set(column, row + 1);
    return { column, row };
  };
  const nodes: Node[] = [
    ...handlers.map(({ handler, kind }) => {
      const id = `handler ${handler}`;
      return { id, kind: "handler", name: handler, says: kind, ...place(id) } as const;
    }),
    ...topics.map(({ topic, pending, observed }) => {
      const id = `topic ${topic}`;
      const count = `${pending.count}${pending.isMore ? "+" : ""} waiting`;
      const says = observed ? "told to whoever listens" : count;
      return { id, kind: "topic", name: topic, says, ...place(id) } as const;
    }),
  ];
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const edges = links.flatMap(([from, to]) => {
    const [a, b] = [byId.get(from), byId.get(to)];
    return a && b ? [{ from: a, to: b }] : [];
  });
  const rows = Math.max(1, ...filled.values());
  return { nodes, edges, columns: Math.max(0, ...columns.values()) + 1, rows };
}

function linksOf({ handlers, topics }: Shown): readonly Link[] {
  return handlers.flatMap(({ handler, subscribe, publishes }) => {
    const id = `handler ${handler}`;
    const to = publishes ?? topics.map(({ topic }) => topic);
    return [
      ...subscribe.map((topic): Link => [`topic ${topic}`, id]),
      ...to.map((topic): Link => [id, `topic ${topic}`]),
    ];
  });
}

/** Longest way from a start; as many rounds as there are nodes, so a circle ends it. */
function columnsOf(ids: readonly string[], links: readonly Link[]): ReadonlyMap<string, number> {
  const columns = new Map(ids.map((id) => [id, 0]));
  for (const id of ids) {
    if (!links.some(([, to]) => to === id)) visit(id, { columns, links, way: new Set() });
  }
  return columns;
}

type Walk = {
  readonly columns: Map<string, number>;
  readonly links: readonly Link[];
  readonly way: ReadonlySet<string>;
};

function visit(id: string, walk: Walk): void {
  const { columns, links, way } = walk;
  const next = (columns.get(id) ?? 0) + 1;
  for (const [from, to] of links) {
    if (from !== id || way.has(to) || (columns.get(to) ?? 0) >= next) continue;
    columns.set(to, next);
    visit(to, { ...walk, way: new Set([...way, id]) });
  }
}
