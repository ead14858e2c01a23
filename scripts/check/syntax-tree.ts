import { type Comment, type Node, type Program, parseSync, visitorKeys } from "oxc-parser";
import type { SourceFile } from "./source-files.ts";

export type { Node };

export type SyntaxTree = {
  readonly program: Program;
  readonly comments: readonly Comment[];
  readonly lineAt: (offset: number) => number;
};

/** `parents` is ordered from the program down to the direct parent. */
export type Visit = (node: Node, parents: readonly Node[]) => void;

// Several rules look at the same file; parsing is most of their cost.
const parsed = new WeakMap<SourceFile, SyntaxTree>();

export function parseTree(file: SourceFile): SyntaxTree {
  const known = parsed.get(file);
  if (known) return known;
  const { program, comments } = parseSync(file.path, file.text);
  const tree = { program, comments, lineAt: lineCounter(file.text) };
  parsed.set(file, tree);
  return tree;
}

export function walk(root: Node, visit: Visit): void {
  const parents: Node[] = [];
  const enter = (node: Node): void => {
    visit(node, parents);
    parents.push(node);
    for (const child of childrenOf(node)) enter(child);
    parents.pop();
  };
  enter(root);
}

function childrenOf(node: Node): Node[] {
  const children: Node[] = [];
  for (const key of visitorKeys[node.type] ?? []) {
    const value: unknown = Reflect.get(node, key);
    if (Array.isArray(value)) children.push(...value.filter(isNode));
    else if (isNode(value)) children.push(value);
  }
  return children;
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}

/** The text of a string literal or of a template without placeholders; null for anything else. */
export function literalText(node: Node | null | undefined): string | null {
  if (node?.type === "Literal" && typeof node.value === "string") return node.value;
  if (node?.type !== "TemplateLiteral" || node.quasis.length !== 1) return null;
  return node.quasis[0]?.value.cooked ?? null;
}

/** The name under a non-computed key: `a` in `{ a: 1 }`, `x.a`, `class { a() {} }`. */
export function keyName(key: Node): string | null {
  return key.type === "Identifier" ? key.name : literalText(key);
}

function lineCounter(text: string): (offset: number) => number {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}
