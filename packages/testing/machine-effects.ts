import { contentHash } from "@holdfast/core";
import type { EffectDeclaration } from "@holdfast/core/machine";
import type { ExactOperation, ScriptedConnections } from "./operations.ts";

type Declared = { readonly name: string; readonly connector: string };

/**
 * What machines may ask of the services that a test plays: `<connector>/<operation>@1`, for every
 * operation that has an exact form. A connection that the script does not declare is its own.
 */
export function effectsFrom(
  connections: ScriptedConnections,
  declared: readonly Declared[],
): readonly EffectDeclaration[] {
  const connectorOf = new Map(declared.map(({ name, connector }) => [name, connector]));
  const effects = new Map<string, EffectDeclaration>();
  for (const [connection, operations] of Object.entries(connections)) {
    const connector = connectorOf.get(connection) ?? connection;
    for (const [operation, { kind, exact }] of Object.entries(operations)) {
      if (exact === undefined) continue;
      const name = `${connector}/${operation}@1`;
      const isChange = kind === "mutation";
      effects.set(name, effectOf({ name, connector, operation, isChange }, exact));
    }
  }
  return [...effects.values()];
}

type Named = {
  readonly name: string;
  readonly connector: string;
  readonly operation: string;
  readonly isChange: boolean;
};

function effectOf(
  { name, connector, operation, isChange }: Named,
  { params, result }: ExactOperation,
): EffectDeclaration {
  const moduleHash = contentHash([connector, "test"]);
  return {
    name,
    kind: isChange ? "mutation" : "read",
    params: { type: "record", fields: { connection: { type: "text" }, ...params } },
    receipt: result,
    error: null,
    executor: { module: `connector/${connector}@1`, moduleHash, entrypoint: operation },
  };
}
