import type { Loading } from "../ask.ts";
import type { NodeRef } from "./branch.ts";
import { type IndexNode, loadNodes } from "./index-node.ts";

/** All branches of a million cells, ten KiB each, as they were and as they become. */
const branchesMax = 1_024;
const leavesMax = 512;

/**
 * Nodes that were read, by the very reference that led to them: each was checked against its hash
 * then. Branches have room of their own, since every look into an index goes through some.
 */
export class KnownNodes {
  readonly #branches = new Map<NodeRef, IndexNode>();
  readonly #leaves = new Map<NodeRef, IndexNode>();

  add(ref: NodeRef, node: IndexNode): void {
    const [nodes, max] =
      "entries" in node ? [this.#leaves, leavesMax] : [this.#branches, branchesMax];
    if (nodes.size >= max) nodes.clear();
    nodes.set(ref, node);
  }

  /** In the order asked for. */
  *read(refs: readonly NodeRef[]): Loading<readonly IndexNode[]> {
    const unread = refs.filter((ref) => this.#find(ref) === undefined);
    const read = yield* loadNodes(unread);
    const nodes = new Map(unread.flatMap((ref, at) => (read[at] ? [[ref, read[at]]] : [])));
    const all = refs.flatMap((ref) => nodes.get(ref) ?? this.#find(ref) ?? []);
    for (const [ref, node] of nodes) this.add(ref, node);
    return all;
  }

  /** The same of nodes on the way to a change: leaves that are read only to be replaced. */
  *readOnce(refs: readonly NodeRef[]): Loading<readonly IndexNode[]> {
    const known = refs.map((ref) => this.#find(ref));
    const read = yield* loadNodes(refs.filter((_, at) => known[at] === undefined));
    const next = read.values();
    return known.flatMap((node) => node ?? next.next().value ?? []);
  }

  /** Nobody will ask for them again. */
  drop(refs: readonly NodeRef[]): void {
    for (const ref of refs) if (!this.#branches.delete(ref)) this.#leaves.delete(ref);
  }

  #find(ref: NodeRef): IndexNode | undefined {
    return this.#branches.get(ref) ?? this.#leaves.get(ref);
  }
}
