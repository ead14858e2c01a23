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
    .union([z.enum(["keep", "fresh"]), z.strictObject({ select: z.array(z.string()) })])
    .default("keep"),
  /** Says that events and deliveries which nobody would work off any more may be left behind. */
  leaveBehind: z.boolean().default(false),
  /** Only tells what would come of it. */
  preview: z.boolean().default(false),
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
});
export type TokenRequest = z.output<typeof tokenRequest>;

export const loginRequest = z.strictObject({ code: z.string().min(1).max(200) });
