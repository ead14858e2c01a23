import { boundNames } from "../../compile/tree/bound-names.ts";
import { isFunction, memberName, unwrap } from "../../compile/tree/plain-expression.ts";
import { type Node, walk } from "../../compile/tree/syntax-node.ts";
import { type Doubt, doubtAt, doubtOfName, partsOf } from "./doubtful-value.ts";

export type Instability = { readonly node: Node; readonly what: "time" | "random" | "position" };

/** It changes for certain, or only if a name means what it says. */
export type Stability = { readonly unstable: Instability | null; readonly doubt: Doubt | null };

/** Names that lead to names; a longer chain is not followed. */
const hopsMax = 6;

/** Taking a day or an hour out of the clock gives a value that a rerun gives again. */
const coarse =
  /^(slice|substr(ing)?|split|to(Locale)?DateString|get(UTC)?(FullYear|Month|Date|Day|Hours))$/;
const rounding = /^(floor|trunc|round|ceil)$/;
const iterating = /^(forEach|map|flatMap|filter|some|every|find|findIndex)$/;

/** Where a value comes from the clock, from randomness or from a position; null = from neither. */
export function findInstability(node: Node, trail: readonly Node[]): Instability | null {
  return judgeStability(node, trail).unstable;
}

export function judgeStability(node: Node, trail: readonly Node[]): Stability {
  const search = new InstabilitySearch(trail);
  const unstable = search.look(node, false, 0);
  return { unstable, doubt: search.doubt };
}

class InstabilitySearch {
  /** The first there was. */
  doubt: Doubt | null = null;
  private readonly trail: readonly Node[];

  constructor(trail: readonly Node[]) {
    this.trail = trail;
  }

  look(given: Node, clockIsFine: boolean, hops: number): Instability | null {
    const node = unwrap(given);
    if (isFunction(node)) return null;
    const source = sourceOf(node);
    if (source === "random" || (source === "time" && !clockIsFine)) return { node, what: source };
    if (source !== null) return null;
    this.doubt ??= doubtAt(node);
    if (node.type === "Identifier") return this.lookUp(node, clockIsFine, hops);
    if (node.type === "MemberExpression") return this.look(node.object, clockIsFine, hops);
    const fine = clockIsFine || makesCoarse(node);
    for (const child of partsOf(node)) {
      const isKey = node.type === "Property" && child === node.key && !node.computed;
      const found = isKey ? null : this.look(child, fine, hops);
      if (found) return found;
    }
    return null;
  }

  /** The nearest declaration of a name decides. */
  private lookUp(
    node: Extract<Node, { type: "Identifier" }>,
    clockIsFine: boolean,
    hops: number,
  ): Instability | null {
    const { name } = node;
    for (let at = this.trail.length - 1; at >= 0; at--) {
      const scope = this.trail[at];
      if (!scope) continue;
      if (isPosition(scope, name, this.trail[at - 1])) return { node, what: "position" };
      const declared = declarationIn(scope, name);
      if (declared === null) continue;
      if (declared.init === null) this.doubt ??= doubtOfName(node, scope);
      if (declared.init === null || hops >= hopsMax) return null;
      if (declared.counts) return { node, what: "position" };
      const found = this.look(declared.init, clockIsFine, hops + 1);
      return found && { node, what: found.what };
    }
    return null;
  }
}

function sourceOf(node: Node): "time" | "random" | null {
  if (node.type === "NewExpression") {
    const isNow = node.callee.type === "Identifier" && node.callee.name === "Date";
    return isNow && node.arguments.length === 0 ? "time" : null;
  }
  if (node.type !== "CallExpression") return null;
  const callee = unwrap(node.callee);
  if (callee.type === "Identifier") return callee.name === "Date" ? "time" : null;
  if (callee.type !== "MemberExpression" || callee.object.type !== "Identifier") return null;
  const called = `${callee.object.name}.${memberName(callee)}`;
  if (called === "Date.now" || called === "performance.now") return "time";
  if (called === "Math.random" || called.startsWith("crypto.random")) return "random";
  return called === "crypto.getRandomValues" ? "random" : null;
}

export function isClockOrChance(node: Node): boolean {
  return sourceOf(node) !== null;
}

function makesCoarse(node: Node): boolean {
  if (node.type !== "CallExpression") return false;
  const name = memberName(unwrap(node.callee)) ?? "";
  if (coarse.test(name)) return true;
  const [first] = node.arguments;
  return rounding.test(name) && first?.type === "BinaryExpression" && first.operator === "/";
}

/** The counter of a loop, or the second parameter of a function that is called per element. */
function isPosition(scope: Node, name: string, outer: Node | undefined): boolean {
  if (scope.type === "ForStatement") {
    const { init } = scope;
    if (init?.type !== "VariableDeclaration") return false;
    return init.declarations.some((each) => boundNames(each.id).includes(name));
  }
  if (scope.type === "ForOfStatement") {
    const right = unwrap(scope.right);
    if (right.type !== "CallExpression" || memberName(unwrap(right.callee)) !== "entries") {
      return false;
    }
    // Entries of a list; those of a Map or of Object.entries have keys in that place.
    if (right.arguments.length > 0 || scope.left.type !== "VariableDeclaration") return false;
    const pattern = scope.left.declarations[0]?.id;
    const [index] = pattern?.type === "ArrayPattern" ? pattern.elements : [];
    return (
      /^(i|idx|index|n|position|at)$/.test(name) && !!index && boundNames(index).includes(name)
    );
  }
  if (!isFunction(scope) || outer?.type !== "CallExpression") return false;
  const second = scope.params[1];
  const method = memberName(unwrap(outer.callee)) ?? "";
  return iterating.test(method) && !!second && boundNames(second).includes(name);
}

type Declared = { readonly init: Node | null; readonly counts: boolean };

/** Null = not declared here. */
function declarationIn(scope: Node, name: string): Declared | null {
  if (isFunction(scope)) {
    return scope.params.some((each) => boundNames(each).includes(name))
      ? { init: null, counts: false }
      : null;
  }
  if (scope.type === "ForOfStatement" || scope.type === "ForInStatement") {
    const { left } = scope;
    const names =
      left.type === "VariableDeclaration"
        ? left.declarations.flatMap((each) => boundNames(each.id))
        : [];
    return names.includes(name) ? { init: null, counts: false } : null;
  }
  if (scope.type !== "BlockStatement") return null;
  for (const statement of scope.body) {
    if (statement.type !== "VariableDeclaration") continue;
    for (const each of statement.declarations) {
      if (!boundNames(each.id).includes(name)) continue;
      const init = each.id.type === "Identifier" ? each.init : null;
      return { init, counts: statement.kind !== "const" && isCounted(scope, name) };
    }
  }
  return null;
}

/** `n++`, `n += 1` or `n = n + 1` somewhere in the block. */
function isCounted(block: Node, name: string): boolean {
  const isIt = (node: Node) => node.type === "Identifier" && node.name === name;
  let counted = false;
  walk(block, (node) => {
    if (node.type === "UpdateExpression") counted ||= isIt(node.argument);
    if (node.type === "AssignmentExpression" && isIt(node.left)) {
      const { operator, right } = node;
      const isSum = right.type === "BinaryExpression" && isIt(right.left);
      counted ||= isNumber(operator === "+=" ? right : isSum ? right.right : null);
    }
    return !counted;
  });
  return counted;
}

function isNumber(node: Node | null): boolean {
  return node?.type === "Literal" && typeof node.value === "number";
}
