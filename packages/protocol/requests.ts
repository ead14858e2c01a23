import { z } from "zod";
import { roles } from "./roles.ts";

/** A script with the files beside it that it imports, as text. */
const scriptSource = z.strictObject({
  entry: z.string().min(1).max(200),
  files: z.record(z.string().min(1).max(200), z.string()),
});

export const deployRequest = z.strictObject({
  source: scriptSource,
  /**
   * `connection.operation`: all it may do outside, reads too, whatever the parameters. If neither
   * this nor `ask` is given, the grants stay as they are.
   */
  allow: z.array(z.string().min(3).max(400)).max(1_000).optional(),
  /** `connection.operation` that may be used once a person has agreed to the call. */
  ask: z.array(z.string().min(3).max(400)).max(1_000).optional(),
  /** A minor version keeps what the workflow declares; a major one may change it. */
  bump: z.enum(["minor", "major"]).default("minor"),
  /** Of a major version: whether what was worked off stays so, all of it or but for some inputs. */
  progress: z
    .union([
      z.enum(["keep", "fresh"]),
      z.strictObject({ select: z.array(z.string()), items: z.array(z.string()).default([]) }),
    ])
    .default("keep"),
  /** Says that events and deliveries which nobody would work off any more may be left behind. */
  leaveBehind: z.boolean().default(false),
  /** Says that the grants in force hold for connections that now lead to another account. */
  keepGrants: z.boolean().default(false),
  /** Only tells what would come of it. */
  preview: z.boolean().default(false),
  /** It is not to be active yet, but tried and agreed to first. */
  propose: z.boolean().default(false),
  /** Of a proposal: what for. */
  description: z.string().max(2_000).optional(),
});
export type DeployRequest = z.input<typeof deployRequest>;
/** As the host reads it, with what was left out. */
export type ReadDeployRequest = z.output<typeof deployRequest>;

/** One entry of a workflow's inbox. What the body has to hold is said by the command's kind. */
export const commandRequest = z.strictObject({
  kind: z.string().regex(/^[a-z_]{1,64}$/),
  body: z.record(z.string(), z.json()).default({}),
});
export type CommandRequest = z.input<typeof commandRequest>;

/** All grants of a workflow; what is not in it is denied. docs/operating/grants.md says how. */
export const grantsRequest = z.strictObject({
  grants: z.array(z.record(z.string(), z.json())).max(2_000),
  /** Only tells what would change. */
  preview: z.boolean().default(false),
});
export type GrantsRequest = z.input<typeof grantsRequest>;

/** To a question: one of the answers it allows, with what that answer needs. */
export const answerRequest = z.strictObject({
  answer: z.string().regex(/^[a-z_]{1,64}$/),
  /** Of a rejection. */
  reason: z.string().max(1_000).optional(),
  /** After `did_not_happen`: prepare | replay. After `reject`: skip | stop. */
  // biome-ignore lint/suspicious/noThenProperty: the word of the contract; never awaited
  then: z.enum(["prepare", "replay", "skip", "stop"]).optional(),
  /** Of `happened`: what the call would have answered. */
  result: z.json().optional(),
  /** The service says otherwise, and the answer is to count all the same. */
  insist: z.boolean().optional(),
  /** Of `approve`: which bytes, and as what they were shown. */
  payloadHash: z.string().max(200).optional(),
  previewHash: z.string().max(200).optional(),
});
export type AnswerRequest = z.output<typeof answerRequest>;

/** Other parameters for a call that waits for an approval. */
export const editRequest = z.strictObject({
  /** All of them, as they are to be sent. */
  params: z.json(),
  /** Of the call that was shown, and is changed. */
  payloadHash: z.string().max(200),
  /** Only tells what would change, and whether it could be made. */
  preview: z.boolean().default(false),
});
export type EditRequest = z.output<typeof editRequest>;

/** A standing rule: calls like the one that a question is about are allowed from now on. */
export const allowLikeRequest = z.strictObject({
  /** What may differ, and how far, as in a grant; all else has to be as in that call. */
  where: z.array(z.record(z.string(), z.json())).max(50).default([]),
  limits: z.array(z.record(z.string(), z.json())).min(1).max(8),
  /** Where the amount stands, if no grant says so yet. */
  amount: z.string().max(500).optional(),
  /** A time as text, or in milliseconds since 1970. */
  expiresAt: z.union([z.string().max(100), z.int().min(0)]),
  /** Only tells what would be allowed. */
  preview: z.boolean().default(false),
});
export type AllowLikeRequest = z.output<typeof allowLikeRequest>;

export const brakeAllRequest = z.strictObject({
  isOn: z.boolean(),
  /** Why, for whoever finds it. */
  reason: z.string().min(1).max(1_000).default("set by hand for all workflows"),
});

export const pageRequest = z.strictObject({
  after: z.string().max(4_000).optional(),
  limit: z.coerce.number().int().min(1).max(500).default(50),
  status: z.string().max(64).optional(),
});

const instantAsked = z.coerce.number().int().min(0).max(8_640_000_000_000_000).optional();
const word = z.string().max(200).optional();

/** Of lists that can be narrowed: what is between two times, and has a text in an id or title. */
export const listRequest = pageRequest.extend({
  from: instantAsked,
  to: instantAsked,
  text: z.string().max(200).optional(),
});

export const runsRequest = listRequest.extend({ handler: word });
export const itemsRequest = listRequest.extend({ job: word });
export const eventsRequest = listRequest.extend({ topic: word });
export const factsRequest = listRequest.omit({ status: true }).extend({ kind: word });
export const auditRequest = listRequest.extend({ kind: word, actor: word });

export const workflowsRequest = z.strictObject({
  after: z.string().max(4_000).optional(),
  limit: z.coerce.number().int().min(1).max(500).default(50),
});

export const activityRequest = workflowsRequest.extend({ workflow: word });

export const journalRequest = z.strictObject({
  /** Left out = the last ones there are. */
  after: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional(),
  limit: z.coerce.number().int().min(1).max(500).default(50),
});

const yearMs = 31_536_000_000;
const tokenYearsMax = 10;

export const tokenRequest = z.strictObject({
  /** Who asks with it, as the journal will say. */
  name: z.string().max(64),
  role: z.enum(roles),
  /** Left out = it never expires. */
  expiresInMs: z
    .int()
    .min(1)
    .max(tokenYearsMax * yearMs)
    .optional(),
  /** It reaches these and nothing else. Left out = everything. */
  workflows: z.array(z.string().min(1).max(200)).min(1).max(100).optional(),
});
export type TokenRequest = z.output<typeof tokenRequest>;

export const loginRequest = z.strictObject({ code: z.string().min(1).max(200) });
