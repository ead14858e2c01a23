import { declaredNames } from "../../compile/tree/bound-names.ts";
import type { ParsedFile } from "../../compile/tree/parsed-file.ts";
import { type FunctionNode, memberName, unwrap } from "../../compile/tree/plain-expression.ts";
import { childrenOf, type Node } from "../../compile/tree/syntax-node.ts";
import { isReservedMember } from "./context-members.ts";
import { bind, type Names, type Reference, resolve } from "./reference.ts";
import type { ScriptView, Sited } from "./script-view.ts";
import type { CallNode, Use, Uses } from "./use.ts";

/** Calls inside calls that are followed. */
const followedLevelsMax = 8;
/** Functions entered for one handler; a script of helpers that call each other would never end. */
const followedFunctionsMax = 2_000;

/** Where the walk stands. */
type At = {
  readonly file: ParsedFile;
  readonly names: Names;
  readonly caught: Node | null;
  readonly item: CallNode | null;
  readonly trail: readonly Node[];
  readonly level: number;
};

type Options = {
  readonly isGlobal: (name: string) => boolean;
  readonly hasContext: boolean; // false = its first parameter is something else
};

/** Follows a handler and the helpers it calls, and notes what it reaches for. */
export function collectUses(
  view: ScriptView,
  handler: Sited<FunctionNode>,
  options: Options,
): Uses {
  const walker = new UseWalker(view, options);
  walker.enter(handler.node, options.hasContext ? [{ kind: "ctx" }] : [], {
    file: handler.file,
    names: new Map(),
    caught: null,
    item: null,
    trail: [],
    level: 0,
  });
  return walker;
}

class UseWalker implements Uses {
  readonly all: Use[] = [];
  readonly byCall = new Map<Node, Use>();
  readonly inlined = new Map<Node, FunctionNode>();
  readonly swallowed: { node: Node; file: ParsedFile }[] = [];
  readonly functions = new Map<FunctionNode, ParsedFile>();
  isHandedOn = false;
  private readonly view: ScriptView;
  private readonly options: Options;
  private readonly open = new Set<FunctionNode>();
  private followed = 0;

  constructor(view: ScriptView, options: Options) {
    this.view = view;
    this.options = options;
  }

  /** Walks the code of a function with what its parameters stand for. */
  enter(node: FunctionNode, values: readonly (Reference | null)[], at: At): void {
    this.followed += 1;
    if (this.open.has(node)) return;
    if (at.level > followedLevelsMax || this.followed > followedFunctionsMax) {
      this.isHandedOn = true;
      return;
    }
    this.functions.set(node, at.file);
    const names: Names = new Map(at.names);
    node.params.forEach((param, index) => {
      bind(param, values[index] ?? null, names);
    });
    this.open.add(node);
    const inner = { ...at, names, trail: [...at.trail, node], level: at.level + 1 };
    for (const param of node.params)
      if (param.type === "AssignmentPattern") this.walk(param, inner);
    if (node.body) this.walk(node.body, inner);
    this.open.delete(node);
  }

  private walk(node: Node, at: At): void {
    switch (node.type) {
      case "ArrowFunctionExpression":
      case "FunctionExpression":
        this.enter(node, [], { ...at, level: at.level - 1 });
        return;
      case "FunctionDeclaration":
        return; // its name is in force; it is walked where it is called
      case "BlockStatement":
      case "ForStatement":
      case "ForOfStatement":
      case "ForInStatement":
      case "SwitchStatement":
      case "CatchClause":
        this.walkBlock(node, at);
        return;
      case "TryStatement":
        this.walk(node.block, this.inside(node, { ...at, caught: node.handler ?? at.caught }));
        if (node.handler) this.walk(node.handler, this.inside(node, at));
        if (node.finalizer) this.walk(node.finalizer, this.inside(node, at));
        return;
      case "VariableDeclarator":
        if (node.init && !this.isContext(node.init, at)) {
          this.walk(node.init, this.inside(node, at));
        }
        bind(node.id, node.init ? this.resolve(node.init, at) : null, at.names);
        return;
      case "AssignmentExpression":
        if (!this.isContext(node.right, at)) this.walk(node.right, this.inside(node, at));
        if (node.left.type !== "Identifier") this.walk(node.left, this.inside(node, at));
        else if (node.operator === "=") bind(node.left, this.resolve(node.right, at), at.names);
        return;
      case "CallExpression":
        this.call(node, at);
        return;
      case "Identifier":
        // A connection on its own says nothing yet; what the host offers does.
        if (isNamedMember(this.resolve(node, at))) this.note(node, null, at);
        if (this.isContext(node, at)) this.isHandedOn = true;
        return;
      case "MemberExpression":
        if (this.note(node, null, at)) return;
        this.walk(node.object, this.inside(node, at));
        if (node.computed) this.walk(node.property, this.inside(node, at));
        return;
      case "Property":
        if (node.computed) this.walk(node.key, this.inside(node, at));
        this.walk(node.value, this.inside(node, at));
        return;
      default:
        this.walkChildren(node, at);
    }
  }

  private inside(node: Node, at: At): At {
    return { ...at, trail: [...at.trail, node] };
  }

  private walkChildren(node: Node, at: At): void {
    const inner = this.inside(node, at);
    for (const child of childrenOf(node)) this.walk(child, inner);
  }

  /** Functions of a block are in force from its start; its variables hide outer ones. */
  private walkBlock(node: Node, at: At): void {
    const inner = { ...this.inside(node, at), names: new Map(at.names) };
    if (node.type === "CatchClause" && node.param) bind(node.param, null, inner.names);
    const statements = node.type === "BlockStatement" ? node.body : [];
    for (const statement of statements) {
      for (const name of declaredNames(statement)) inner.names.set(name, null);
    }
    for (const statement of statements) {
      if (statement.type !== "FunctionDeclaration" || !statement.id) continue;
      const { file, names } = inner;
      inner.names.set(statement.id.name, { kind: "function", node: statement, file, names });
    }
    for (const child of childrenOf(node)) this.walk(child, inner);
  }

  private call(node: CallNode, at: At): void {
    const target = this.resolve(node.callee, at);
    const inner = this.inside(node, at);
    if (target?.kind === "function") {
      const { names, file } = target;
      this.inlined.set(node, target.node);
      const values = node.arguments.map((each) => this.resolve(each, at));
      this.arguments(node, inner, { isFollowed: true });
      this.enter(target.node, values, { ...inner, names, file });
      return;
    }
    const opensItem = target?.kind === "member" && target.name === "withItem";
    if (this.note(node.callee, node, at)) {
      this.arguments(node, inner, { opensItem });
      return;
    }
    this.noteSwallowed(node, at);
    this.walk(node.callee, inner);
    this.arguments(node, inner);
  }

  private arguments(
    node: CallNode,
    at: At,
    { opensItem = false, isFollowed = false }: { opensItem?: boolean; isFollowed?: boolean } = {},
  ): void {
    node.arguments.forEach((argument, index) => {
      const value = this.resolve(argument, at);
      if (isFollowed && value?.kind === "ctx") return;
      if (value?.kind !== "function") {
        this.walk(argument, at);
        return;
      }
      // A function that is handed on may be called with anything, an item's ctx excepted.
      const isItem = opensItem && index === 2;
      const { names, file } = value;
      const inner = { ...at, names, file, item: isItem ? node : at.item, level: at.level };
      this.enter(value.node, isItem ? [{ kind: "ctx" }] : [], inner);
    });
  }

  /** True = it was a use of ctx. */
  private note(callee: Node, call: CallNode | null, at: At): boolean {
    const target = this.resolve(callee, at);
    if (target?.kind !== "member" && target?.kind !== "operation") return false;
    const use: Use = {
      member: target.kind === "member" ? target.name : target.connection,
      operation: target.kind === "member" ? null : target.name,
      file: at.file,
      start: unwrap(callee),
      name: target.node,
      call,
      caught: at.caught,
      item: at.item,
      trail: at.trail,
    };
    this.all.push(use);
    if (call) this.byCall.set(call, use);
    return true;
  }

  private noteSwallowed(node: CallNode, at: At): void {
    const callee = unwrap(node.callee);
    if (callee.type !== "MemberExpression") return;
    const name = memberName(callee);
    if (name !== "catch" && !(name === "then" && node.arguments.length > 1)) return;
    const promise = unwrap(callee.object);
    if (promise.type !== "CallExpression") return;
    if (this.resolve(promise.callee, at)?.kind !== "operation") return;
    this.swallowed.push({ node: callee.property, file: at.file });
  }

  private isContext(node: Node, at: At): boolean {
    return this.resolve(node, at)?.kind === "ctx";
  }

  private resolve(node: Node, at: At): Reference | null {
    const { view } = this;
    const { isGlobal } = this.options;
    return resolve(node, { view, file: at.file, names: at.names, isGlobal });
  }
}

function isNamedMember(target: Reference | null): boolean {
  return target?.kind === "member" && isReservedMember(target.name);
}
