import {
  type FunctionNode,
  isFunction,
  memberName,
  unwrap,
} from "../../compile/tree/plain-expression.ts";
import { childrenOf, type Node } from "../../compile/tree/syntax-node.ts";
import type { CallNode, Uses } from "./use.ts";

/** In which ways a place can be reached: with no mutation made yet, or after one. */
type Reach = { readonly fresh: boolean; readonly done: boolean };

/** Pieces of code looked at for one handler; helpers and loops multiply them. */
const stepsMax = 200_000;

const nowhere: Reach = { fresh: false, done: false };
const iterating = /^(forEach|map|flatMap|filter|some|every|find|findIndex|reduce|reduceRight)$/;

function join(...reaches: readonly Reach[]): Reach {
  return {
    fresh: reaches.some((each) => each.fresh),
    done: reaches.some((each) => each.done),
  };
}

type Exits = { breaks: Reach; continues: Reach };

export type PathFindings = {
  readonly again: readonly CallNode[]; // mutations that another one may come before
  readonly after: readonly Node[]; // first statements that only a made mutation can come before
};

/** Follows the paths through `mutate`: branches, loops, early returns and known helpers. */
export function followPaths(
  handler: FunctionNode,
  uses: Uses,
  isMutation: (call: CallNode) => boolean,
): PathFindings {
  const follower = new PathFollower(uses, isMutation);
  follower.call(handler, { fresh: true, done: false });
  return { again: [...follower.again], after: [...follower.after] };
}

class PathFollower {
  readonly again = new Set<CallNode>();
  readonly after = new Set<Node>();
  private readonly uses: Uses;
  private readonly isMutation: (call: CallNode) => boolean;
  private readonly open = new Set<FunctionNode>();
  private exits: Exits[] = [];
  private returns: Reach = nowhere;
  private repeating = 0;
  private steps = 0;

  constructor(uses: Uses, isMutation: (call: CallNode) => boolean) {
    this.uses = uses;
    this.isMutation = isMutation;
  }

  call(node: FunctionNode, reach: Reach): Reach {
    if (this.open.has(node) || !node.body) return reach;
    const outer = { returns: this.returns, exits: this.exits };
    this.returns = nowhere;
    this.exits = [];
    this.open.add(node);
    const end =
      node.body.type === "BlockStatement"
        ? this.statements(node.body.body, reach)
        : this.expression(node.body, reach);
    const out = join(end, this.returns);
    this.open.delete(node);
    this.returns = outer.returns;
    this.exits = outer.exits;
    return out;
  }

  private statements(list: readonly Node[], given: Reach): Reach {
    let reach = given;
    for (const statement of list) {
      if (reach.done && !isInert(statement) && !this.mutates(statement)) this.noteAfter(statement);
      reach = this.statement(statement, reach);
    }
    return reach;
  }

  /** One per path is enough: what follows it is as dead. */
  private noteAfter(statement: Node): void {
    if (this.repeating === 0 && this.after.size === 0) this.after.add(statement);
  }

  /** Beyond the limit nothing is claimed any more. */
  private isSpent(): boolean {
    this.steps += 1;
    return this.steps > stepsMax;
  }

  private statement(node: Node, reach: Reach): Reach {
    if (this.isSpent()) return reach;
    switch (node.type) {
      case "BlockStatement":
        return this.statements(node.body, reach);
      case "IfStatement": {
        const tested = this.expression(node.test, reach);
        const yes = this.branch(node.consequent, tested);
        return join(yes, node.alternate ? this.branch(node.alternate, tested) : tested);
      }
      case "ReturnStatement": {
        const out = node.argument ? this.expression(node.argument, reach) : reach;
        this.returns = join(this.returns, out);
        return nowhere;
      }
      case "ThrowStatement":
        this.expression(node.argument, reach);
        return nowhere;
      case "BreakStatement":
        return this.leave("breaks", reach);
      case "ContinueStatement":
        return this.leave("continues", reach);
      case "LabeledStatement":
        return this.branch(node.body, reach);
      case "SwitchStatement":
        return this.switch(node, reach);
      case "TryStatement":
        return this.try(node, reach);
      case "ForStatement":
      case "ForOfStatement":
      case "ForInStatement":
      case "WhileStatement":
      case "DoWhileStatement":
        return this.loop(node, reach);
      default:
        return this.expression(node, reach);
    }
  }

  private branch(node: Node, reach: Reach): Reach {
    return this.statements(node.type === "BlockStatement" ? node.body : [node], reach);
  }

  private leave(way: keyof Exits, reach: Reach): Reach {
    const exits = this.exits.at(-1);
    if (exits) exits[way] = join(exits[way], reach);
    return nowhere;
  }

  private switch(node: Extract<Node, { type: "SwitchStatement" }>, given: Reach): Reach {
    const reach = this.expression(node.discriminant, given);
    const exits: Exits = { breaks: nowhere, continues: nowhere };
    this.exits.push(exits);
    let through = nowhere;
    for (const each of node.cases) {
      through = this.statements(each.consequent, join(reach, through));
    }
    this.exits.pop();
    this.leave("continues", exits.continues);
    const hasDefault = node.cases.some((each) => each.test === null);
    return join(through, exits.breaks, hasDefault ? nowhere : reach);
  }

  private try(node: Extract<Node, { type: "TryStatement" }>, reach: Reach): Reach {
    const tried = this.statements(node.block.body, reach);
    // The error of an operation never reaches the catch, so it is entered as the try was.
    const caught = node.handler ? this.statements(node.handler.body.body, reach) : nowhere;
    const out = join(tried, caught);
    if (!node.finalizer) return out;
    return this.statements(node.finalizer.body, out);
  }

  private loop(node: Node, given: Reach): Reach {
    const parts = childrenOf(node);
    const body = "body" in node ? node.body : null;
    let reach = given;
    for (const part of parts) if (part !== body) reach = this.expression(part, reach);
    return this.repeat(reach, (each) => {
      const at = parts.at(node.type === "DoWhileStatement" ? 0 : -1);
      return at ? this.branch(at, each) : each;
    });
  }

  /** Twice round is enough to see whether a second mutation can follow a first. */
  private repeat(given: Reach, round: (reach: Reach) => Reach): Reach {
    const exits: Exits = { breaks: nowhere, continues: nowhere };
    this.exits.push(exits);
    const once = join(round(given), exits.continues);
    this.repeating += 1;
    const twice = once.done || once.fresh ? join(round(once), exits.continues) : nowhere;
    this.repeating -= 1;
    this.exits.pop();
    return join(given, once, twice, exits.breaks);
  }

  private expression(node: Node, given: Reach): Reach {
    if (isFunction(node) || this.isSpent()) return given;
    if (node.type === "ConditionalExpression") {
      const tested = this.expression(node.test, given);
      const yes = this.expression(node.consequent, tested);
      return join(yes, this.expression(node.alternate, tested));
    }
    if (node.type === "LogicalExpression") {
      const left = this.expression(node.left, given);
      return join(left, this.expression(node.right, left));
    }
    let reach = given;
    for (const child of childrenOf(node)) reach = this.expression(child, reach);
    return node.type === "CallExpression" ? this.called(node, reach) : reach;
  }

  private called(node: CallNode, given: Reach): Reach {
    if (this.isMutation(node)) {
      if (given.done) this.again.add(node);
      return { fresh: false, done: given.fresh || given.done };
    }
    const known = this.uses.inlined.get(node);
    if (known) return this.call(known, given);
    let reach = given;
    const name = memberName(unwrap(node.callee)) ?? "";
    for (const argument of node.arguments) {
      const callback = unwrap(argument);
      if (!isFunction(callback)) continue;
      const round = (each: Reach): Reach => this.call(callback, each);
      reach = iterating.test(name) ? this.repeat(reach, round) : join(reach, round(reach));
    }
    return reach;
  }

  private mutates(node: Node): boolean {
    if (this.isSpent()) return true;
    if (node.type === "CallExpression") {
      if (this.isMutation(node)) return true;
      const known = this.uses.inlined.get(node);
      if (known?.body && !this.open.has(known)) {
        this.open.add(known);
        const found = this.mutates(known.body);
        this.open.delete(known);
        if (found) return true;
      }
    }
    return childrenOf(node).some((child) => this.mutates(child));
  }
}

/** Says nothing: an end, a name handed back, a declaration that waits to be called. */
function isInert(node: Node): boolean {
  switch (node.type) {
    case "EmptyStatement":
    case "BreakStatement":
    case "ContinueStatement":
    case "FunctionDeclaration":
      return true;
    case "BlockStatement":
      return node.body.every(isInert);
    case "ReturnStatement": {
      const argument = node.argument && unwrap(node.argument);
      return !argument || argument.type === "Identifier" || argument.type === "Literal";
    }
    default:
      return node.type.startsWith("TS");
  }
}
