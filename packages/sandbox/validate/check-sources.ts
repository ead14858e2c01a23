import type { ScriptSource } from "../compile/script-source.ts";
import { problemsMax } from "../compile/source-limits.ts";
import type { ParsedFile } from "../compile/tree/parsed-file.ts";
import type { HandlerForms, OperationUse } from "../manifest/manifest.ts";
import type { CheckInput } from "./check-input.ts";
import { ambientCode } from "./checks/ambient-code.ts";
import { callNotAwaited } from "./checks/call-not-awaited.ts";
import { catchAroundOperation } from "./checks/catch-around-operation.ts";
import type { Check, CheckContext } from "./checks/check-context.ts";
import { codeAfterMutation } from "./checks/code-after-mutation.ts";
import { definitionRules } from "./checks/definition-rules.ts";
import { forbiddenInPhase } from "./checks/forbidden-in-phase.ts";
import { itemTitles } from "./checks/item-titles.ts";
import { items } from "./checks/items.ts";
import { nextResult } from "./checks/next-result.ts";
import { prepareResult } from "./checks/prepare-result.ts";
import { readInMutate } from "./checks/read-in-mutate.ts";
import { severalMutations } from "./checks/several-mutations.ts";
import { sharedGlobal } from "./checks/shared-global.ts";
import { machineTopics, topicEdges } from "./checks/topic-edges.ts";
import { topicNames } from "./checks/topic-names.ts";
import { undeclaredOperation } from "./checks/undeclared-operation.ts";
import { unknownContextMember } from "./checks/unknown-context-member.ts";
import { unstableIds } from "./checks/unstable-ids.ts";
import { inOrder, type Problem, problemAt } from "./problem.ts";
import { findHandlers } from "./reading/handlers.ts";
import { handlerForms } from "./reading/identity-forms.ts";
import { locate } from "./reading/locate.ts";
import { OperationNatures } from "./reading/operation-nature.ts";
import { ScriptView } from "./reading/script-view.ts";

/** About the code itself; they hold also where the definition has faults. */
const codeChecks: readonly Check[] = [
  ambientCode,
  callNotAwaited,
  catchAroundOperation,
  codeAfterMutation,
  forbiddenInPhase,
  items,
  itemTitles,
  nextResult,
  prepareResult,
  readInMutate,
  severalMutations,
  sharedGlobal,
  undeclaredOperation,
  unknownContextMember,
  unstableIds,
];

/** About how the parts fit together; with a part missing they would accuse the others. */
const wholeChecks: readonly Check[] = [definitionRules, machineTopics, topicEdges, topicNames];

export type Checked = {
  readonly problems: readonly Problem[];
  readonly operations: readonly OperationUse[];
  readonly forms: readonly HandlerForms[];
};

/** Everything that can be said about a script without running it. */
export function checkSources(
  source: ScriptSource,
  files: ReadonlyMap<string, ParsedFile>,
  input: CheckInput,
): Checked {
  const view = new ScriptView(source, files);
  const { manifest, known } = input;
  const handlers = findHandlers(view, manifest);
  const natures = new OperationNatures(manifest, known);
  const context: CheckContext = { view, manifest, known, natures, handlers };
  const checks = input.complete ? [...codeChecks, ...wholeChecks] : codeChecks;
  const located = input.located.map(({ path, code, cause, hint }) =>
    problemAt(view.placeOf(locate(view, path).at), code, cause, hint),
  );
  const problems = unique([...located, ...checks.flatMap((check) => check(context))]);
  const forms = handlerForms(view, manifest, handlers);
  return { problems: problems.slice(0, problemsMax), operations: operationsUsed(context), forms };
}

/** A helper that two handlers call is told of once. */
function unique(problems: readonly Problem[]): readonly Problem[] {
  const byPlace = new Map(
    problems.map((each) => [`${each.file}:${each.line}:${each.column}:${each.code}`, each]),
  );
  return inOrder([...byPlace.values()]);
}

function operationsUsed({ handlers }: CheckContext): OperationUse[] {
  return handlers.flatMap(({ name, phase, uses }) =>
    uses.all.flatMap((use) => {
      if (use.operation === null || use.call === null) return [];
      const { file, line, column } = use.file.placeAt(use.start.start);
      const { member: connection, operation } = use;
      return [{ connection, operation, handler: name, phase, file, line, column }];
    }),
  );
}
