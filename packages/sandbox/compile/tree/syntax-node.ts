import { type Node, visitorKeys } from "oxc-parser";

export type { Node };

/** Expressions in TypeScript's clothes; every other node of its own kind is a type and erased. */
const wrappers: ReadonlySet<string> = new Set([
  "TSAsExpression",
  "TSSatisfiesExpression",
  "TSNonNullExpression",
  "TSTypeAssertion",
  "TSInstantiationExpression",
  "TSEnumDeclaration",
  "TSEnumBody",
  "TSEnumMember",
  "TSExportAssignment",
]);

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}

/** Children in source order. What is only a type never runs and is left out. */
export function childrenOf(node: Node): Node[] {
  const children: Node[] = [];
  for (const key of visitorKeys[node.type] ?? []) {
    const value: unknown = Reflect.get(node, key);
    for (const child of Array.isArray(value) ? value : [value]) {
      if (isNode(child) && !isErased(child)) children.push(child);
    }
  }
  return children;
}

function isErased(node: Node): boolean {
  return node.type.startsWith("TS") && !wrappers.has(node.type);
}

/** Returning false leaves out what is inside. `parents` ends with the direct parent. */
export type Visit = (node: Node, parents: readonly Node[]) => boolean | undefined;

export function walk(root: Node, visit: Visit): void {
  const parents: Node[] = [];
  const enter = (node: Node): void => {
    if (visit(node, parents) === false) return;
    parents.push(node);
    for (const child of childrenOf(node)) enter(child);
    parents.pop();
  };
  enter(root);
}

/** Levels of the deepest syntax, counted without recursion: the depth is what is in doubt. */
export function depthOf(root: Node): { readonly levels: number; readonly deepest: Node } {
  let levels = 0;
  let deepest = root;
  const open: { node: Node; level: number }[] = [{ node: root, level: 1 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next.level > levels) {
      levels = next.level;
      deepest = next.node;
    }
    for (const key of visitorKeys[next.node.type] ?? []) {
      const value: unknown = Reflect.get(next.node, key);
      for (const child of Array.isArray(value) ? value : [value]) {
        if (isNode(child)) open.push({ node: child, level: next.level + 1 });
      }
    }
  }
  return { levels, deepest };
}
