import type { Role } from "@holdfast/protocol";

/** Who may ask, and as what. The token itself is known to its owner only. */
export type TokenEntry = {
  readonly name: string;
  readonly role: Role;
  /** sha256 of the token, in hex. */
  readonly hash: string;
  readonly createdAt: number;
  readonly createdBy: string;
  /** Null = it never expires. */
  readonly expiresAt: number | null;
  /** It reaches these workflows and nothing else; null = all of them, and the host. */
  readonly workflows: readonly string[] | null;
};

/** A browser that was let in with a login link: it asks in the name of one token. */
export type VisitEntry = {
  /** sha256 of the cookie, in hex. */
  readonly hash: string;
  /** The visit is over when this token is. */
  readonly tokenHash: string;
  readonly startedAt: number;
  readonly expiresAt: number;
};

export type AccessState = {
  readonly tokens: readonly TokenEntry[];
  readonly visits: readonly VisitEntry[];
};

/** Where tokens and visits are written down. */
export interface AccessBook {
  /** False = nobody has written anything yet. */
  readonly isThere: boolean;
  /** As it is now, whoever changed it last. */
  read(): AccessState;
  /** Nobody else changes it meanwhile. What `change` throws leaves everything as it was. */
  update<T>(change: Change<T>): T;
}

/** What it is to be from now on, and what whoever asked is told. */
export type Change<T> = (state: AccessState) => { readonly state: AccessState; readonly told: T };

export const emptyAccess: AccessState = { tokens: [], visits: [] };

/** For hosts that were given no file: what is made ends with the process. */
export class MemoryBook implements AccessBook {
  readonly isThere = true;
  #state: AccessState = emptyAccess;

  read(): AccessState {
    return this.#state;
  }

  update<T>(change: Change<T>): T {
    const { state, told } = change(this.#state);
    this.#state = state;
    return told;
  }
}
