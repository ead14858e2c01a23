import type { ParsedFile } from "../../compile/tree/parsed-file.ts";
import type { Node } from "../../compile/tree/syntax-node.ts";
import type { Manifest } from "../../manifest/manifest.ts";
import type { Known } from "../known.ts";
import { type Problem, problemAt } from "../problem.ts";
import type { ProblemCode } from "../problem-codes.ts";
import type { Handler } from "../reading/handlers.ts";
import { locate } from "../reading/locate.ts";
import type { OperationNatures } from "../reading/operation-nature.ts";
import type { ScriptView } from "../reading/script-view.ts";

/** What every check may look at. */
export type CheckContext = {
  readonly view: ScriptView;
  readonly manifest: Manifest;
  readonly known: Known;
  readonly natures: OperationNatures;
  readonly handlers: readonly Handler[];
};

export type Check = (context: CheckContext) => readonly Problem[];

export function problemIn(file: ParsedFile, node: Node, code: ProblemCode, cause: string): Problem {
  return problemAt(file.placeAt(node.start), code, cause);
}

/** At a part of the definition, or at the nearest part that the source shows. */
export function problemOf(
  { view }: Pick<CheckContext, "view">,
  path: readonly string[],
  code: ProblemCode,
  cause: string,
): Problem {
  return problemAt(view.placeOf(locate(view, path).at), code, cause);
}

/** `shop.getOrder`, or `publish`. */
export function useName(use: {
  readonly member: string;
  readonly operation: string | null;
}): string {
  return use.operation === null ? use.member : `${use.member}.${use.operation}`;
}
