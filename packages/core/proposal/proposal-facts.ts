import type { Payload } from "../view/payload.ts";

export type VersionProposed = {
  readonly kind: "version_proposed";
  readonly number: number;
  readonly version: string;
  readonly scriptHash: string;
  readonly base: string;
  readonly body: Payload;
  readonly changes: readonly string[];
  readonly description: string | null;
  readonly actor: string;
};

/** It was tried on a copy; nothing else came of that. */
export type VersionShadowed = {
  readonly kind: "version_shadowed";
  readonly number: number;
  readonly patchHash: string;
  /** One that was approved stays so: what was agreed to is what was tried again. */
  readonly status: "shadowed" | "approved";
  readonly report: Payload;
  readonly actor: string;
};

export type VersionDecided = {
  readonly kind: "version_decided";
  readonly number: number;
  readonly patchHash: string;
  readonly says: "approve" | "reject";
  readonly reason: string | null;
  /** Whether somebody waited for it to be applied, who waits no longer. */
  readonly stopsWaiting: boolean;
  readonly actor: string;
};

export type ApplyAsked = {
  readonly kind: "apply_asked";
  readonly number: number;
  readonly waits: boolean;
  readonly actor: string;
};

/** Something stands in its way. It stays approved; `waits`: until nothing does. */
export type ApplyBlocked = {
  readonly kind: "apply_blocked";
  readonly number: number;
  readonly why: string;
  readonly obstacles: Payload;
  readonly waits: boolean;
};

/** Stands right behind the frame whose manifest record it is. */
export type VersionApplied = {
  readonly kind: "version_applied";
  readonly number: number;
  readonly patchHash: string;
  readonly scriptHash: string;
  readonly actor: string;
};

export type ProposalFact =
  | VersionProposed
  | VersionShadowed
  | VersionDecided
  | ApplyAsked
  | ApplyBlocked
  | VersionApplied;
