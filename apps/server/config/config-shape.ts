import { z } from "zod";
import { numberRanges } from "../environment.ts";
import { executorsShape } from "../executors.ts";
import { logForms } from "../host-log.ts";
import { policyShape } from "../policies.ts";

const text = z.string().min(1);
const operation = z.string().regex(/^[^.]+\..+$/, "has to be connection.operation");

function wholeNumber(name: keyof typeof numberRanges) {
  const [least, most] = numberRanges[name];
  const said = `has to be a whole number from ${least} to ${most}`;
  return z.int(said).min(least, said).max(most, said);
}

/** Every key stands for a variable of the environment, which wins over it; paths lead from here. */
export const configShape = z.strictObject({
  /** A folder, or postgres://user@host:5432/database; a password belongs into PGPASSWORD. */
  store: text.optional(),
  listen: text.optional(),
  port: wholeNumber("HOLDFAST_PORT").optional(),
  tls: z.strictObject({ cert: text, key: text }).optional(),
  names: z.array(text).optional(),
  publicUrl: z.url().optional(),
  /** Files, because what is in them is not for everybody who may read this one. */
  accounts: text.optional(),
  secrets: text.optional(),
  tokens: text.optional(),
  keyFile: text.optional(),
  /** Modules with connectors that do not come with Holdfast; the host runs them as its own code. */
  connectors: z.array(text).optional(),
  /** A file, or the same here: the keys that receipts of each connector are signed with. */
  executors: z.union([text, executorsShape]).optional(),
  /** A file, or the same here. */
  policies: z.union([text, policyShape]).optional(),
  /** Workflows that are worked for at once. */
  concurrency: wholeNumber("HOLDFAST_WORKFLOWS").optional(),
  leaseMs: wholeNumber("HOLDFAST_LEASE_MS").optional(),
  pauseMs: wholeNumber("HOLDFAST_PAUSE_MS").optional(),
  /** Accounts of the connector webhook that are told of questions. */
  notify: z.array(text).optional(),
  /** What the process says of itself: lines for people, or JSON with ids for programs. */
  log: z.enum(logForms).optional(),
  /** Where traces and metrics are told, by OTLP over HTTP. */
  telemetry: z.strictObject({ endpoint: z.url(), serviceName: text.optional() }).optional(),
  /** Scripts that `holdfast dev` deploys, and what each may do outside. */
  workflows: z
    .record(
      text,
      z.strictObject({
        allow: z.array(operation).optional(),
        ask: z.array(operation).optional(),
      }),
    )
    .optional(),
});

export type HoldfastConfig = z.input<typeof configShape>;
export type ReadHoldfastConfig = z.output<typeof configShape>;
