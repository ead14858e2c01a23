import {
  type CanonicalValue,
  decodeCanonical,
  encodeCanonical,
  encodeGrants,
  type Grant,
  type Hash,
  invariant,
  type MutationRow,
  policyDefaults,
  type Rows,
  type Store,
  type TableName,
} from "@holdfast/core";
import { editCall } from "../engine/edit-call.ts";
import type { OutsideWorld } from "../engine/ports.ts";
import { bytesOf } from "../engine/values.ts";
import { type BookedParams, bookingVersion } from "./booking-script.ts";

/** Where the workflows are. */
export type DeskParts = {
  readonly store: Store;
  readonly now: number;
  readonly outside: (workflow: string) => OutsideWorld;
  /** Of everything there is, no two have the same. */
  readonly nextNumber: () => number;
  /** False = it is not active. */
  readonly takeVersion: (workflow: string, actor: string) => Promise<boolean>;
};

/** A person's yes to a call as it was shown, and what was so when they said it. */
export type Agreement = {
  readonly actor: string;
  readonly at: number;
  /** The question said that two people have to look. */
  readonly shownFourEyes: boolean;
  readonly grants: readonly Grant[];
  /** Who had a say in the version that was active. */
  readonly authors: readonly string[];
};

/** What people say to one workflow, and what they would remember of it. */
export class GrantedDesk {
  readonly workflow: string;
  /** Of each version: who deployed it, and who proposed it. */
  readonly authors = new Map<string, readonly string[]>();
  /** By mutation: who has said yes to exactly that. */
  readonly agreements = new Map<string, readonly Agreement[]>();
  grants: readonly Grant[] = [];
  #active = "";
  readonly #parts: DeskParts;

  constructor(parts: DeskParts, workflow: string) {
    this.#parts = parts;
    this.workflow = workflow;
  }

  async command(kind: string, body: CanonicalValue, actor = "ada"): Promise<void> {
    const { store, now, nextNumber } = this.#parts;
    const commandId = `c${nextNumber()}`;
    const { workflow } = this;
    const command = { commandId, workflow, actor, kind, body: encodeCanonical(body), at: now };
    await store.appendCommand(command);
  }

  async deploy(actor: string): Promise<void> {
    const version = this.#nextVersion([actor]);
    await this.command("activate_version", version, actor);
    await this.#take(version.scriptHash, actor);
  }

  /** One says what it is, another has it applied. */
  async propose(author: string, actor: string): Promise<void> {
    const version = this.#nextVersion([author, actor]);
    const proposal = { ...version, base: this.#active, description: null };
    await this.command("propose_version", proposal, author);
    await this.#take(version.scriptHash, actor);
  }

  #nextVersion(authors: readonly string[]) {
    const version = bookingVersion(this.authors.size + 1);
    this.authors.set(version.scriptHash, authors);
    return version;
  }

  async #take(scriptHash: string, actor: string): Promise<void> {
    const isActive = await this.#parts.takeVersion(this.workflow, actor);
    invariant(isActive, `${scriptHash} of ${this.workflow} is active`);
    this.#active = scriptHash;
  }

  publish(params: CanonicalValue): Promise<void> {
    const messageId = `o-${this.#parts.nextNumber()}`;
    const event = { topic: "orders", messageId, payload: encodeCanonical(params), title: null };
    return this.command("publish_event", event);
  }

  setGrants(grants: readonly Grant[]): Promise<void> {
    this.grants = grants;
    return this.command("set_envelope", { grants: encodeGrants(grants) });
  }

  /** `other`: not the hashes that were shown. */
  async approve(actor: string, other: { payloadHash?: string; previewHash?: string } = {}) {
    const asked = await this.asked();
    const { mutationId = "m0", payloadHash = "", approval = null } = asked ?? {};
    const shown = { payloadHash, previewHash: approval?.previewHash ?? "" };
    if (asked !== undefined && Object.keys(other).length === 0) {
      const agreed: Agreement = {
        actor,
        at: this.#parts.now,
        shownFourEyes: approval?.fourEyes ?? false,
        grants: this.grants,
        authors: this.authors.get(this.#active) ?? [],
      };
      this.agreements.set(mutationId, [...(this.agreements.get(mutationId) ?? []), agreed]);
    }
    await this.command("approve_mutation", { mutationId, ...shown, ...other }, actor);
  }

  async rows<T extends TableName>(table: T): Promise<readonly Rows[T][]> {
    const rows: Rows[T][] = [];
    for await (const row of this.#parts.store.scan(this.workflow, table)) rows.push(row);
    return rows;
  }

  async asked(): Promise<MutationRow | undefined> {
    return (await this.rows("mutations")).find(({ state }) => state === "awaiting_approval");
  }

  /** Another sum and place for the call that waits, if that could be made. */
  async edit(actor: string, to: Pick<BookedParams, "sum" | "to">): Promise<void> {
    const mutation = await this.asked();
    if (mutation === undefined) return;
    const { store, now, outside } = this.#parts;
    const before = await this.#paramsOf(mutation);
    const params = { ...before, ...to, editedBy: [...before.editedBy, actor] };
    const parts = { store, outside: outside(this.workflow), policy: policyDefaults, now };
    const edited = await editCall(parts, this.workflow, {
      mutation,
      editedHash: mutation.payloadHash as Hash,
      params: JSON.stringify(params),
    });
    if ("why" in edited) return;
    await this.command("edit_mutation", { ...edited } as unknown as CanonicalValue, actor);
  }

  async #paramsOf({ payload }: MutationRow): Promise<BookedParams> {
    const bytes = await bytesOf(this.#parts.store, this.workflow, payload);
    return decodeCanonical(bytes) as unknown as BookedParams;
  }
}
