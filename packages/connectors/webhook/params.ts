import { ConnectorError } from "@holdfast/connector-kit";
import { z } from "zod";

const params = z.strictObject({
  /** What has happened, such as "order.booked". */
  event: z.string().min(1).max(200),
  data: z.json(),
  /** A business reference that makes it this change and no other. */
  ref: z.string().min(1).max(200).optional(),
});

export type WebhookParams = z.infer<typeof params>;

export function readParams(given: unknown): WebhookParams {
  const read = params.safeParse(given);
  // What was given and recorded, not a copy that may have lost something.
  if (read.success) return given as WebhookParams;
  const [issue] = read.error.issues;
  const path = issue?.path.join(".") || "the parameters";
  throw new ConnectorError("logic", "no", `${path}: ${issue?.message ?? "not valid"}`);
}
