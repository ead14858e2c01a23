import { type Hide, hiding } from "@holdfast/connector-kit";
import { z } from "zod";

const address = z.email().max(254);

const account = z
  .strictObject({
    connector: z.literal("mail"),
    host: z.string().regex(/^[A-Za-z0-9.:-]{1,253}$/, "it has to be a name or an address"),
    port: z.int().min(1).max(65_535).optional(),
    /** `none` sends in the clear, so it is for this machine and local networks only. */
    security: z.enum(["tls", "starttls", "none"]).default("tls"),
    user: z.string().min(1).max(1_000).optional(),
    password: z.string().min(1).max(1_000).optional(),
    from: address,
    /** Nobody else is ever written to. */
    to: z.array(address).min(1).max(50),
    /** For connecting, and again for all that is said then. */
    timeoutMs: z.int().min(1).max(600_000).default(30_000),
    allowPrivateAddresses: z.boolean().default(false),
  })
  .refine(({ user, password }) => (user === undefined) === (password === undefined), {
    path: ["password"],
    message: "user and password go together",
  })
  .refine(({ security, allowPrivateAddresses }) => security !== "none" || allowPrivateAddresses, {
    path: ["security"],
    message: "none needs allowPrivateAddresses: it sends in the clear",
  });

export type MailAccount = z.infer<typeof account>;

const ports = { tls: 465, starttls: 587, none: 25 } as const;

export function readAccount(given: unknown): MailAccount {
  return account.parse(given);
}

export function portOf({ port, security }: MailAccount): number {
  return port ?? ports[security];
}

/** Where it leads: the same people by another server are another target. */
export function placeOf(given: MailAccount): string {
  return `${given.to.join(", ")} by ${given.host}:${portOf(given)}`;
}

/** A server may repeat what it was told, in the form it was told it. */
export function hiderOf({ user, password }: MailAccount): Hide {
  if (user === undefined || password === undefined) return (text) => text;
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  return hiding([password, base64(password), base64(`\u0000${user}\u0000${password}`)]);
}
