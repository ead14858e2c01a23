import type { ItemRow } from "../item/item-row.ts";
import { pinPayload } from "../view/payload.ts";
import { itemScope, mutationKeyOf } from "./mutation-key.ts";
import type { CallKeys, RecordMutation } from "./record-mutation.ts";

type KeyedCall = Pick<RecordMutation, "connector" | "target" | "operation" | "identity" | "subkey">;

/** Of a call in an item: the same whichever run makes it, as long as the attempt is. */
export function itemKeysOf(
  workflow: string,
  { itemId, attempt }: Pick<ItemRow, "itemId" | "attempt">,
  { connector, target, operation, identity, subkey = null }: KeyedCall,
): CallKeys {
  const scopeId = itemScope(workflow, itemId);
  const identityHash = pinPayload(identity).payload.hash;
  const parts = { scopeId, attempt, connector, target, operation, identityHash, subkey };
  return { scopeId, attempt, mutationKey: mutationKeyOf(parts) };
}
