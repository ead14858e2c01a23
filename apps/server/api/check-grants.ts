import {
  type CanonicalValue,
  type Connections,
  type Grant,
  isWithinRisk,
  plainGrants,
  readGrants,
} from "@holdfast/core";
import type { NeededGrant } from "@holdfast/host";
import type { FindDeclared } from "./declared-operations.ts";
import { ApiProblem } from "./problem.ts";

const nothingChanged = "Nothing was changed.";

/** Grants as a person wrote them; times may be written as text. */
export function parseGrants(given: readonly Readonly<Record<string, unknown>>[]): readonly Grant[] {
  const list = given.map((grant, index) => ({ ...grant, ...timeOf(grant, index) }));
  const read = readGrants(list as unknown as CanonicalValue);
  if (read.ok) return read.grants;
  throw new ApiProblem(422, "REQUEST_INVALID", `${read.message}.`, { remedy: nothingChanged });
}

function timeOf({ expiresAt }: Readonly<Record<string, unknown>>, index: number): object {
  if (typeof expiresAt !== "string") return {};
  const at = Date.parse(expiresAt);
  if (Number.isNaN(at)) {
    const detail = `grants[${index}].expiresAt: ${expiresAt} is not a time.`;
    throw new ApiProblem(422, "REQUEST_INVALID", detail, { remedy: nothingChanged });
  }
  return { expiresAt: at };
}

/** What cannot be granted is refused here, where it is known what operations there are. */
export function requireGrantable(grants: readonly Grant[], kinds: Connections): void {
  for (const grant of grants) {
    const { operation, say } = grant;
    const kind = kindOf(operation, kinds);
    if (kind === undefined) throw unknownOperation(operation, kinds);
    if (kind === "mutation") continue;
    if (say === "ask") {
      throw ofRead(operation, "nobody can be asked about a read; allow it or deny it");
    }
  }
}

/** A grant that is for less risk than there is would never hold: whoever wrote it is told. */
export function requireWithinRisk(grants: readonly Grant[], find: FindDeclared): void {
  for (const { operation, riskMax } of grants) {
    const risk = find(operation)?.risk;
    if (riskMax === undefined || risk === undefined || isWithinRisk(risk, riskMax)) continue;
    const detail = `${operation} has ${risk} risk, and the grant is for ${riskMax} at most.`;
    throw new ApiProblem(422, "REQUEST_INVALID", detail, { remedy: nothingChanged });
  }
}

function kindOf(operation: string, kinds: Connections): string | undefined {
  const dot = operation.indexOf(".");
  const [connection, name] = [operation.slice(0, dot), operation.slice(dot + 1)];
  const ofConnection = kinds[connection] ?? {};
  return Object.hasOwn(ofConnection, name) ? ofConnection[name] : undefined;
}

/**
 * For what no grant names: a person is asked about each change, and reads are allowed, because
 * nobody can be asked about those. What cannot be called is left out.
 */
export function suggestedFor(needed: readonly NeededGrant[], kinds: Connections): readonly Grant[] {
  return needed.flatMap(({ operation, says }) => {
    const kind = kindOf(operation, kinds);
    if (says.length > 0 || kind === undefined) return [];
    return plainGrants(kind === "mutation" ? "ask" : "allow", [operation]);
  });
}

function unknownOperation(operation: string, kinds: Connections): ApiProblem {
  const detail = `There is no ${operation} that could be allowed.`;
  const remedy = `Connections are: ${Object.keys(kinds).join(", ")}; nothing was changed.`;
  return new ApiProblem(422, "REQUEST_INVALID", detail, { remedy });
}

function ofRead(operation: string, why: string): ApiProblem {
  const detail = `${operation} is a read: ${why}.`;
  return new ApiProblem(422, "REQUEST_INVALID", detail, { remedy: nothingChanged });
}

/** Operations that a script uses and no grant lets it. */
export function missingIn(uses: readonly string[], grants: readonly Grant[]): readonly string[] {
  const granted = new Set(
    grants.filter(({ say }) => say !== "deny").map(({ operation }) => operation),
  );
  return uses.filter((name) => !granted.has(name));
}
