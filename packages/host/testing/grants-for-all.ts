import { type Connections, encodeGrants, plainGrants } from "@holdfast/core";

/** Everything there is, whatever its parameters: for tests that are not about grants. */
export function grantsForAll(connections: Connections): Uint8Array {
  const operations = Object.entries(connections).flatMap(([connection, names]) =>
    Object.keys(names).map((operation) => `${connection}.${operation}`),
  );
  return encodeGrants(plainGrants("allow", operations));
}
