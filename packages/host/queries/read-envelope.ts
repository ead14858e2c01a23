import {
  decodeCanonical,
  type Grant,
  type Hash,
  type Instant,
  invariant,
  readGrants,
  type Store,
} from "@holdfast/core";
import { bytesOf } from "../engine/values.ts";

export type ShownEnvelope = {
  readonly number: number;
  readonly grants: readonly Grant[];
  readonly hash: Hash;
  readonly setBy: string;
  readonly setAt: Instant;
};

/** What a workflow may do outside; `number` null = the one in force. Null = there is none. */
export async function readEnvelope(
  store: Store,
  workflow: string,
  number: number | null = null,
): Promise<ShownEnvelope | null> {
  const wanted = number ?? (await numberInForce(store, workflow));
  if (wanted === 0) return null;
  const need = { kind: "row", table: "envelopes", key: [wanted] } as const;
  const { rows } = await store.load(workflow, [need]);
  const found = rows.find((each) => each.table === "envelopes");
  if (found?.table !== "envelopes") return null;
  const { grants, setBy, setAt } = found.row;
  const read = readGrants(decodeCanonical(await bytesOf(store, workflow, grants)));
  invariant(read.ok, `envelope ${wanted} of ${workflow} was read before it was set`);
  return { number: wanted, grants: read.grants, hash: grants.hash, setBy, setAt };
}

/** 0 = nothing was ever granted. */
async function numberInForce(store: Store, workflow: string): Promise<number> {
  const need = { kind: "row", table: "workflows", key: [] } as const;
  const { rows } = await store.load(workflow, [need]);
  const found = rows.find((each) => each.table === "workflows");
  return found?.table === "workflows" ? found.row.envelope : 0;
}
