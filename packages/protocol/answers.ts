import type { Role } from "./roles.ts";

/** What the API answers, as JSON. */

/** RFC 9457, with our own stable code. */
export type ProblemAnswer = {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  /** What the reader can do now. */
  readonly remedy?: string;
  /** Which rule of the workflow said no. */
  readonly refusal?: string;
  /** What is wrong in a script, for its author. */
  readonly problems?: readonly unknown[];
  /** How long to wait before the next try. */
  readonly retryAfterMs?: number;
};

/** What became of a command. Null = its workflow's owner has not come to it yet. */
export type VerdictAnswer = {
  readonly commandId: string;
  readonly accepted: boolean | null;
  readonly note: string;
};

/** Workflows whose brake was set or released, had it so before, or have not come to it yet. */
export type BrakeAllAnswer = {
  readonly changed: number;
  readonly unchanged: number;
  readonly waiting: number;
};

/** `of` says for which calls, in words; null = for all others. */
export type MutationLabel = {
  readonly operation: string;
  readonly labels: readonly { readonly of: string | null; readonly label: string }[];
};

export type DeployAnswer = VerdictAnswer & {
  readonly workflow: string;
  readonly version: string;
  readonly scriptHash: string;
  /** False = exactly this was deployed already. */
  readonly changed: boolean;
  /** Operations the script uses that no grant names: such a call will wait for a person. */
  readonly missing: readonly string[];
  /** What it may change outside, and what can be relied on when an answer is lost. */
  readonly mutations: readonly MutationLabel[];
  /** What it changes of the grants, a line each. */
  readonly grants: readonly string[];
  readonly problems: readonly unknown[];
  /** What nobody would work off any more, in words. */
  readonly orphans: readonly string[];
};

/** A run that waited for an account. Null = its owner has not come to it yet. */
export type AffectedRun = {
  readonly workflow: string;
  readonly runId: string;
  readonly accepted: boolean | null;
  readonly note: string;
};

export type ResumeAnswer = { readonly account: string; readonly items: readonly AffectedRun[] };

/** What a workflow may do outside. */
export type GrantsAnswer = {
  /** 0 = nothing was ever granted. */
  readonly number: number;
  readonly setBy: string | null;
  readonly setAt: number | null;
  readonly grants: readonly object[];
  /** The same in words, a line each. */
  readonly said: readonly string[];
  /** Operations the active version uses that no grant names. */
  readonly missing: readonly string[];
};

export type GrantsDiffAnswer = {
  readonly from: number;
  /** Null = of grants that are not in force. */
  readonly to: number | null;
  /** A line each: `+` is new, `-` is taken away, `~` is another than before. */
  readonly changes: readonly string[];
};

export type GrantsSetAnswer = VerdictAnswer & GrantsDiffAnswer;

/** What a person is asked to agree to. */
export type QuestionAnswer = {
  readonly workflow: string;
  readonly attentionId: string;
  readonly kind: string;
  readonly note: string;
  readonly answers: readonly string[];
  readonly closedAt: number | null;
  readonly call: {
    readonly operation: string;
    readonly target: string;
    /** The script's own words for it, which nobody has checked. */
    readonly title: string | null;
    readonly params: unknown;
    readonly guarantee: string;
    readonly approval: {
      readonly payloadHash: string;
      readonly previewHash: string;
      readonly preview: string;
      readonly expiresAt: number;
      readonly fourEyes: boolean;
    } | null;
  } | null;
  readonly inputs: readonly { readonly title: string }[];
  /** Another call for the same inputs that somebody agreed to. */
  readonly approvedBefore: {
    readonly params: unknown;
    readonly payloadHash: string;
    readonly actor: string | null;
    readonly approvedAt: number | null;
  } | null;
};

export type WorkflowAnswer = {
  readonly workflow: string;
  readonly records: number;
  readonly owner: string | null;
  readonly dueAt: number | null;
};

/** All that is needed to mend a script that failed. */
export type RepairAnswer = {
  readonly workflow: string;
  readonly runId: string;
  readonly handler: string;
  readonly phase: string;
  readonly version: string;
  readonly scriptHash: string;
  readonly failure: {
    readonly class: string;
    readonly message: string;
    readonly location: string;
  };
  /** What the run had reserved. */
  readonly events: readonly { readonly topic: string; readonly messageId: string }[];
  /** What it did, with its calls and its log. */
  readonly phases: readonly object[];
  readonly allowed: readonly string[];
  readonly source: {
    readonly entry: string;
    readonly files: Readonly<Record<string, string>>;
  };
};

/** One limit or timing of a workflow, or of calls to one connection or operation of it. */
export type PolicyValue = {
  readonly name: string;
  readonly value: number;
  /** The program, the environment, or the policy file: for all, or for what is named. */
  readonly from: "default" | "all" | "environment" | "workflow" | "connection" | "operation";
};

export type HealthAnswer = { readonly status: "ok"; readonly storeIncarnation: string };

/** Not ready: the store is away, or the host has no lease (yet, or any more). */
export type ReadyAnswer = {
  readonly ready: boolean;
  readonly store: "ok" | "away";
  readonly work: "starting" | "working" | "stopping" | "lost";
};

export type TokenAnswer = {
  readonly name: string;
  readonly role: Role;
  readonly createdAt: number;
  readonly createdBy: string;
  /** Null = never. */
  readonly expiresAt: number | null;
};

/** The only answer that ever holds the token. */
export type NewTokenAnswer = TokenAnswer & { readonly token: string };

export type LoginCodeAnswer = { readonly code: string; readonly expiresAt: number };

/** Whoever asks is this one. */
export type AskerAnswer = {
  readonly name: string;
  readonly role: Role;
  readonly by: "token" | "visit";
  readonly until: number | null;
};
