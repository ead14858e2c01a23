import { z } from "zod";
import { roles } from "./roles.ts";
import { declared, detail, instant, list, said, valueChange } from "./shapes.ts";

/** What the API answers, as JSON. The types are read off these, and so is its description. */

/** RFC 9457, with our own stable code. */
export const problemAnswer = said({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  code: z.string(),
  detail: z.string(),
  /** What the reader can do now. */
  remedy: z.string().optional(),
  /** Which rule of the workflow said no. */
  refusal: z.string().optional(),
  /** What is wrong in a script, for its author. */
  problems: list(z.unknown()).optional(),
  /** How long to wait before the next try. */
  retryAfterMs: z.number().optional(),
}).meta({ id: "Problem" });
export type ProblemAnswer = z.infer<typeof problemAnswer>;

const verdict = {
  commandId: z.string(),
  /** Null = its workflow's owner has not come to it yet. */
  accepted: z.boolean().nullable(),
  note: z.string(),
};

/** What became of a command. */
export const verdictAnswer = said(verdict).meta({ id: "Verdict" });
export type VerdictAnswer = z.infer<typeof verdictAnswer>;

/** What was changed in a call, and the question that asks about it now. */
export const editAnswer = said({
  ...verdict,
  changes: list(valueChange),
  /** Null = it was only tried, or the owner has not come to it. */
  question: z.string().nullable(),
});
export type EditAnswer = z.infer<typeof editAnswer>;

export const deliveryAnswer = said({ deliveryId: z.string(), ...verdict });

/** Workflows whose brake was set or released, had it so before, or have not come to it yet. */
export const brakeAllAnswer = said({
  changed: z.int(),
  unchanged: z.int(),
  waiting: z.int(),
});
export type BrakeAllAnswer = z.infer<typeof brakeAllAnswer>;

/** The brake on all sending; null = it is off. */
export const storeBrakeAnswer = said({
  brake: said({ setBy: z.string(), setAt: z.number(), reason: z.string() }).nullable(),
});
export type StoreBrakeAnswer = z.infer<typeof storeBrakeAnswer>;

/** `of` says for which calls, in words; null = for all others. */
const mutationLabel = said({
  operation: z.string(),
  labels: list(said({ of: z.string().nullable(), label: z.string() })),
});
export type MutationLabel = z.infer<typeof mutationLabel>;

export const deployAnswer = said({
  ...verdict,
  workflow: z.string(),
  version: z.string(),
  scriptHash: z.string(),
  /** False = exactly this was deployed already. */
  changed: z.boolean(),
  /** Operations the script uses that no grant names: such a call will wait for a person. */
  missing: list(z.string()),
  /** What it changes of the grants, a line each. */
  grants: list(z.string()),
  /** Connections that lead to another account than their grants were given for, a line each. */
  elsewhere: list(z.string()),
  /** What it may change outside, and what can be relied on when an answer is lost. */
  mutations: list(mutationLabel),
  problems: list(z.unknown()),
  /** What nobody would work off any more, in words. */
  orphans: list(z.string()),
  /** It changes what machines are, so it is a proposal of this number; null = it is none. */
  proposal: z.int().nullable(),
});
export type DeployAnswer = z.infer<typeof deployAnswer>;

/** What a workflow may do outside. */
export const grantsAnswer = said({
  /** 0 = nothing was ever granted. */
  number: z.int(),
  setBy: z.string().nullable(),
  setAt: instant.nullable(),
  grants: list(detail),
  /** The same in words, a line each. */
  said: list(z.string()),
  /** Of each: how risky, and how far it is narrowed; null = there is no such operation here. */
  about: list(
    said({
      capability: z.string(),
      risk: z.enum(["low", "medium", "high"]),
      limited: list(z.string()),
      open: list(z.string()),
      /** No grant can narrow it: the account says it, or the service. */
      unenforceable: list(z.string()),
    }).nullable(),
  ),
  /** Operations the active version uses that no grant names. */
  missing: list(z.string()),
});
export type GrantsAnswer = z.infer<typeof grantsAnswer>;

const grantsDiff = {
  from: z.int(),
  /** Null = of grants that are not in force. */
  to: z.int().nullable(),
  /** A line each: `+` is new, `-` is taken away, `~` is another than before. */
  changes: list(z.string()),
};

/** What a workflow uses outside, and a list of grants that would let it, to be edited and set. */
export const grantsNeededAnswer = said({
  items: list(
    said({
      operation: z.string(),
      /** Its name stands in the code of the active version. */
      isInScript: z.boolean(),
      /** What grants in force say of it; none = no grant names it. */
      says: list(z.string()),
      /** Calls of the last seven days, but for those that failed; reads are not counted. */
      callCount: z.int(),
      askedCount: z.int(),
      /** Why it is held up now; null = it is not. */
      denied: z.string().nullable(),
      /** Null = this host has no such operation. */
      declared: said(declared).nullable(),
    }),
  ),
  suggested: list(detail),
});
export type GrantsNeededAnswer = z.infer<typeof grantsNeededAnswer>;

export const grantsDiffAnswer = said(grantsDiff);
export type GrantsDiffAnswer = z.infer<typeof grantsDiffAnswer>;

export const grantsSetAnswer = said({ ...verdict, ...grantsDiff });
export type GrantsSetAnswer = z.infer<typeof grantsSetAnswer>;

/** With the rule in words, all of it; nothing was asked for if it was only tried. */
export const allowLikeAnswer = said({ ...verdict, ...grantsDiff, rule: z.string() });
export type AllowLikeAnswer = z.infer<typeof allowLikeAnswer>;

/** Of a preview: nothing was asked for. */
export const grantsPreviewAnswer = said({ ...grantsDiff, accepted: z.null() });

/** A run that waited for an account. Null = its owner has not come to it yet. */
const affectedRun = said({
  workflow: z.string(),
  runId: z.string(),
  accepted: z.boolean().nullable(),
  note: z.string(),
});
export type AffectedRun = z.infer<typeof affectedRun>;

export const resumeAnswer = said({ account: z.string(), items: list(affectedRun) });
export type ResumeAnswer = z.infer<typeof resumeAnswer>;

export const revokeAnswer = said({ account: z.string(), isRevoked: z.boolean() });
export type RevokeAnswer = z.infer<typeof revokeAnswer>;

/** All that is needed to mend a script that failed. */
export const repairAnswer = said({
  workflow: z.string(),
  runId: z.string(),
  handler: z.string(),
  phase: z.string(),
  version: z.string(),
  scriptHash: z.string(),
  failure: said({ class: z.string(), message: z.string(), location: z.string() }),
  /** What the run had reserved. */
  events: list(said({ topic: z.string(), messageId: z.string() })),
  /** What it did, with its calls and its log. */
  phases: list(detail),
  allowed: list(z.string()),
  source: said({ entry: z.string(), files: z.record(z.string(), z.string()).readonly() }),
});
export type RepairAnswer = z.infer<typeof repairAnswer>;

/** One limit or timing of a workflow, or of calls to one connection or operation of it. */
const policyValue = said({
  name: z.string(),
  value: z.number(),
  /** The program, the environment, or the policy file: for all, or for what is named. */
  from: z.enum(["default", "all", "environment", "workflow", "connection", "operation"]),
});
export type PolicyValue = z.infer<typeof policyValue>;

export const policyAnswer = said({ items: list(policyValue) });

export const healthAnswer = said({ status: z.literal("ok"), storeIncarnation: z.string() });
export type HealthAnswer = z.infer<typeof healthAnswer>;

/** Not ready: the store is away, or the host has no lease (yet, or any more). */
export const readyAnswer = said({
  ready: z.boolean(),
  store: z.enum(["ok", "away"]),
  work: z.enum(["starting", "working", "stopping", "lost"]),
});
export type ReadyAnswer = z.infer<typeof readyAnswer>;

const token = {
  name: z.string(),
  role: z.enum(roles),
  createdAt: instant,
  createdBy: z.string(),
  /** Null = never. */
  expiresAt: instant.nullable(),
  /** What it reaches; null = everything. */
  workflows: list(z.string()).nullable(),
};

export const tokenAnswer = said(token).meta({ id: "Token" });
export type TokenAnswer = z.infer<typeof tokenAnswer>;

export const tokensAnswer = said({ items: list(tokenAnswer) });

/** The only answer that ever holds the token. */
export const newTokenAnswer = said({ ...token, token: z.string() });
export type NewTokenAnswer = z.infer<typeof newTokenAnswer>;

export const loginCodeAnswer = said({ code: z.string(), expiresAt: instant });
export type LoginCodeAnswer = z.infer<typeof loginCodeAnswer>;

export const logoutAnswer = said({ loggedOut: z.boolean() });

/** Whoever asks is this one. */
export const askerAnswer = said({
  name: z.string(),
  role: z.enum(roles),
  by: z.enum(["token", "visit"]),
  until: instant.nullable(),
  workflows: list(z.string()).nullable(),
});
export type AskerAnswer = z.infer<typeof askerAnswer>;
