import {
  type CanonicalValue,
  decodeCanonical,
  encodeGrants,
  type MutationRow,
  policyDefaults,
  readGrants,
  type Store,
} from "@holdfast/core";
import { editCall, type OutsideWorld } from "@holdfast/host";
import type { Random } from "@holdfast/host/testing";
import type { Booking } from "./shop.ts";

const operation = "shop.book";

/** Every fifth order is asked about. */
const given = [
  { operation: "shop.list", say: "allow" },
  { operation, say: "allow", where: [{ at: "/id", pattern: "o-[0-9]*[01345689]" }] },
  { operation, say: "ask", where: [{ at: "/id", pattern: "o-[0-9]*[27]" }] },
];

export function askingGrants(): Uint8Array {
  const read = readGrants(given as unknown as CanonicalValue);
  if (!read.ok) throw new Error(read.message);
  return encodeGrants(read.grants);
}

type Parts = {
  readonly store: Store;
  readonly outside: Pick<OutsideWorld, "describe">;
  readonly random: Random;
  readonly now: () => number;
  readonly give: (workflow: string, kind: string, body: object) => Promise<void>;
};

/** A person who agrees to calls, edits some of them first, and remembers to which they agreed. */
export class AskedCalls {
  readonly #parts: Parts;
  /** To which bytes, by the key under which they are for exactly these inputs. */
  readonly #agreed = new Map<string, string>();
  agreedCount = 0;
  editedCount = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  faultOf({ id, key, payloadHash }: Booking): string | null {
    if (!/[27]$/.test(id)) return null;
    const agreed = this.#agreed.get(key);
    if (agreed === undefined) return "though nobody had agreed to it";
    return agreed === payloadHash ? null : "in other words than were agreed to";
  }

  async answer(workflow: string, call: MutationRow): Promise<void> {
    const { mutationId, payloadHash, providerKey, approval } = call;
    if (approval === null) throw new Error(`${mutationId} waits for an approval nobody asked for`);
    if (approval.edited === undefined && this.#parts.random.chance(0.4)) {
      return this.#edit(workflow, call);
    }
    this.#agreed.set(providerKey, payloadHash);
    this.agreedCount += 1;
    const { previewHash } = approval;
    await this.#parts.give(workflow, "approve_mutation", { mutationId, payloadHash, previewHash });
  }

  async #edit(workflow: string, mutation: MutationRow): Promise<void> {
    const { store, outside, now, give } = this.#parts;
    const { payload, payloadHash: editedHash } = mutation;
    if (payload.inline === null) throw new Error("an order is small");
    const { id } = decodeCanonical(payload.inline) as { readonly id: string };
    const params = JSON.stringify({ id, note: "edited" });
    const parts = { store, outside, policy: policyDefaults, now: now() };
    const edited = await editCall(parts, workflow, { mutation, editedHash, params });
    if ("why" in edited) throw new Error(edited.why);
    this.editedCount += 1;
    await give(workflow, "edit_mutation", edited);
  }
}
