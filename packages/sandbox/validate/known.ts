import type { EffectDeclaration } from "@holdfast/core/machine";
import type { OperationKind } from "../capability/table.ts";

export type { OperationKind } from "../capability/table.ts";

/** Operations by name, with their kinds. */
export type KnownOperations = Readonly<Record<string, OperationKind>>;

/** What this workspace has. What is absent is not known, and checks that need it are left out. */
export type Known = {
  readonly connectors?: Readonly<Record<string, KnownOperations>>;
  /** Connections of the workspace by name, each with its connector. */
  readonly connections?: Readonly<Record<string, string>>;
  /** What machines may ask for, besides what the host has by itself. */
  readonly effects?: readonly EffectDeclaration[];
};

/** Connector of a connection, from what the script declares or else from the workspace. */
function connectorOf(
  known: Known,
  declared: ReadonlyMap<string, string>,
  connection: string,
): string | null {
  const own = declared.get(connection);
  if (own !== undefined) return own;
  const { connections } = known;
  return connections && Object.hasOwn(connections, connection)
    ? (connections[connection] ?? null)
    : null;
}

/** Null = the workspace did not say what this connection can do. */
export function operationsOf(
  known: Known,
  declared: ReadonlyMap<string, string>,
  connection: string,
): KnownOperations | null {
  const connector = connectorOf(known, declared, connection);
  const { connectors } = known;
  if (connector === null || !connectors || !Object.hasOwn(connectors, connector)) return null;
  return connectors[connector] ?? null;
}
