import { type CanonicalValue, type Connections, type Grant, readGrants } from "@holdfast/core";
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
    const { operation, say, limits, amount } = grant;
    const dot = operation.indexOf(".");
    const [connection, name] = [operation.slice(0, dot), operation.slice(dot + 1)];
    const ofConnection = kinds[connection] ?? {};
    const kind = Object.hasOwn(ofConnection, name) ? ofConnection[name] : undefined;
    if (kind === undefined) throw unknownOperation(operation, kinds);
    if (kind === "mutation") continue;
    if (say === "ask") {
      throw ofRead(operation, "nobody can be asked about a read; allow it or deny it");
    }
    if (limits.length > 0 || amount !== null) {
      throw ofRead(operation, "reads are not in the ledger, so they cannot be counted");
    }
  }
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
