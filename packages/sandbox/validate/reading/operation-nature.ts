import type { Manifest } from "../../manifest/manifest.ts";
import { type Known, type OperationKind, operationsOf } from "../known.ts";
import type { Use } from "./use.ts";

/** `certain` = the workspace says so; otherwise the name of the operation decided. */
export type Nature = { readonly kind: OperationKind; readonly certain: boolean };

const listing = /^(list|search|find|count|peek)(?![a-z])/;
const single = /^(get|read|fetch|lookup|lookUp)(?![a-z])|^find.*By[A-Z]/;

export class OperationNatures {
  private readonly known: Known;
  private readonly declared: ReadonlyMap<string, string>;

  constructor(manifest: Manifest, known: Known) {
    this.known = known;
    this.declared = new Map(manifest.connections.map((each) => [each.name, each.connector]));
  }

  /** Null for a use that is no operation. */
  of(use: Use): Nature | null {
    if (use.operation === null) return null;
    const operations = operationsOf(this.known, this.declared, use.member);
    if (operations && Object.hasOwn(operations, use.operation)) {
      const kind = operations[use.operation];
      if (kind !== undefined) return { kind, certain: true };
    }
    return { kind: guess(use.operation), certain: false };
  }

  isMutation(use: Use): boolean {
    return this.of(use)?.kind === "mutation";
  }
}

/** Names are all there is to go by; what does not look like a read is taken for a change. */
function guess(operation: string): OperationKind {
  if (single.test(operation)) return "read:byId";
  return listing.test(operation) ? "read:list" : "mutation";
}
