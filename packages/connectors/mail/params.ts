import { ConnectorError } from "@holdfast/connector-kit";
import { z } from "zod";

const params = z.strictObject({
  /** One line. */
  subject: z.string().regex(/^[^\p{Cc}\p{Cf}\u2028\u2029]{1,200}$/u, "it has to be one plain line"),
  /** As it is to be read: nothing in it is markup. */
  text: z.string().min(1).max(100_000),
  /** A business reference that makes it this change and no other. */
  ref: z.string().min(1).max(200).optional(),
});

export type MailParams = z.infer<typeof params>;

export function readParams(given: unknown): MailParams {
  const read = params.safeParse(given);
  // What was given and recorded, not a copy that may have lost something.
  if (read.success) return given as MailParams;
  const [issue] = read.error.issues;
  const path = issue?.path.join(".") || "the parameters";
  throw new ConnectorError("logic", "no", `${path}: ${issue?.message ?? "not valid"}`);
}
