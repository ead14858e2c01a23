import type { ParsedFile } from "../../compile/tree/parsed-file.ts";
import type { FunctionNode } from "../../compile/tree/plain-expression.ts";
import type { Node } from "../../compile/tree/syntax-node.ts";

export type CallNode = Extract<Node, { type: "CallExpression" }>;

/** One place where a handler reaches for something that ctx offers. */
export type Use = {
  readonly member: string; // `publish`, or the name of a connection
  readonly operation: string | null; // null = the member itself
  readonly file: ParsedFile;
  readonly start: Node; // the whole of `ctx.shop.getOrder`
  readonly name: Node; // the last name in it
  readonly call: CallNode | null; // null = it is only named
  readonly caught: Node | null; // the catch clause around it, callers included
  readonly item: CallNode | null; // the withItem call it is inside of
  readonly trail: readonly Node[]; // from the handler down to the direct parent
};

/** Everything a handler does with ctx, helpers that it calls included. */
export type Uses = {
  readonly all: readonly Use[];
  readonly byCall: ReadonlyMap<Node, Use>;
  /** Calls of functions whose code is known. */
  readonly inlined: ReadonlyMap<Node, FunctionNode>;
  /** Places that take an operation's error away: `.catch` and the second function of `.then`. */
  readonly swallowed: readonly { readonly node: Node; readonly file: ParsedFile }[];
  /** Whether ctx itself is handed to code that was not followed: what that does is not in `all`. */
  readonly isHandedOn: boolean;
  /** All functions that may run for this handler. */
  readonly functions: ReadonlyMap<FunctionNode, ParsedFile>;
};
