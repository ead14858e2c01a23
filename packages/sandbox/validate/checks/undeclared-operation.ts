import { type KnownOperations, operationsOf } from "../known.ts";
import type { Problem } from "../problem.ts";
import { isReservedMember } from "../reading/context-members.ts";
import type { Use } from "../reading/use.ts";
import { type Check, type CheckContext, problemIn } from "./check-context.ts";

/** R145: connections that nobody declared, and operations that nobody offers. */
export const undeclaredOperation: Check = (context) => {
  const { manifest, known } = context;
  const declared = new Map(manifest.connections.map((each) => [each.name, each.connector]));
  const told = new Set<string>();
  return usesOfConnections(context).flatMap((use) => {
    const problems: Problem[] = [];
    if (!declared.has(use.member) && !told.has(use.member)) {
      told.add(use.member);
      problems.push(undeclaredConnection(context, use));
    }
    const operations = operationsOf(known, declared, use.member);
    const missing = operations && missingOperation(operations, use);
    return missing ? [...problems, missing] : problems;
  });
};

function usesOfConnections({ handlers }: CheckContext): Use[] {
  return handlers.flatMap(({ uses }) =>
    uses.all.filter((use) => use.operation !== null && !isReservedMember(use.member)),
  );
}

function undeclaredConnection({ known }: CheckContext, use: Use): Problem {
  const shown = `"${use.member}"`;
  if (known.connections && !Object.hasOwn(known.connections, use.member)) {
    const cause = `Neither the script nor the workspace has a connection ${shown}.`;
    return problemIn(use.file, use.start, "unknown_connection", cause);
  }
  const cause = `The connection ${shown} is not declared; the workspace's one is taken.`;
  return problemIn(use.file, use.start, "workspace_connection", cause);
}

function missingOperation(operations: KnownOperations, use: Use): Problem | null {
  if (use.operation === null || Object.hasOwn(operations, use.operation)) return null;
  const names = Object.keys(operations).join(", ");
  const cause = `${use.member} has no operation "${use.operation}"; it has ${names}.`;
  return problemIn(use.file, use.name, "undeclared_operation", cause);
}
