import { createHash } from "node:crypto";
import { ConnectorError, type GivenToken, type Keeping } from "@holdfast/connector-kit";
import { z } from "zod";
import { exchangeRead } from "../wire/exchange.ts";
import { headerValue } from "../wire/header.ts";
import type { HttpAnswer } from "../wire/request.ts";
import { restMsOf } from "../wire/rest.ts";

const common = {
  kind: z.literal("oauth2"),
  tokenUrl: z.url({ protocol: /^https?$/ }),
  clientId: z.string().min(1).max(1_000),
  /** Absent = a public client. */
  clientSecret: z.string().min(1).max(8_000).optional(),
  scope: z.string().min(1).max(2_000).optional(),
};

/** How an account gets its tokens. */
export const oauth2 = z.discriminatedUnion("grant", [
  z.strictObject({ ...common, grant: z.literal("client_credentials") }),
  z.strictObject({
    ...common,
    grant: z.literal("refresh_token"),
    refreshToken: z.string().min(1).max(8_000),
  }),
]);

export type OAuth2 = z.infer<typeof oauth2>;

const answered = z.object({
  access_token: headerValue,
  token_type: z
    .string()
    .regex(/^bearer$/i, "it is no bearer token")
    .optional(),
  expires_in: z.coerce.number().positive().max(31_536_000).optional(),
  refresh_token: z.string().min(1).max(8_000).optional(),
});

/** In place of the refresh token of this mark; an account that has another one began anew. */
const kept = z.object({ of: z.string(), refreshToken: z.string() });

type Asking = {
  readonly auth: OAuth2;
  readonly timeoutMs: number;
  readonly allowPrivateAddresses: boolean;
  readonly keeping: Keeping;
};

/** Refusals that say nothing of the credentials. */
const passing = new Set([408, 425, 429]);

/** One request to whoever gives tokens. Nothing it says is repeated: it may hold credentials. */
export async function askForToken(asking: Asking): Promise<GivenToken> {
  const { auth, timeoutMs, allowPrivateAddresses } = asking;
  const body = new URLSearchParams(formOf(asking)).toString();
  const answer = await exchangeRead({
    url: new URL(auth.tokenUrl),
    method: "POST",
    headers: {
      accept: "application/json",
      "content-type": "application/x-www-form-urlencoded",
      "content-length": String(Buffer.byteLength(body)),
    },
    body,
    timeoutMs,
    allowPrivateAddresses,
    signal: AbortSignal.timeout(2 * timeoutMs),
    go: () => {},
  });
  const token = tokenIn(answer);
  if (auth.grant === "refresh_token" && token.refresh_token !== undefined) {
    const text = { of: markOf(auth.refreshToken), refreshToken: token.refresh_token };
    asking.keeping.write(JSON.stringify(text));
  }
  const { access_token, expires_in } = token;
  return { token: access_token, lastsMs: expires_in === undefined ? null : expires_in * 1_000 };
}

function formOf({ auth, keeping }: Asking): Record<string, string> {
  const { clientId, clientSecret, scope, grant } = auth;
  return {
    grant_type: grant,
    client_id: clientId,
    ...(clientSecret === undefined ? {} : { client_secret: clientSecret }),
    ...(scope === undefined ? {} : { scope }),
    ...(grant === "refresh_token" ? { refresh_token: refreshTokenOf(auth, keeping) } : {}),
  };
}

/** The service may have given another one since the account was written. */
function refreshTokenOf(
  { refreshToken }: Extract<OAuth2, { grant: "refresh_token" }>,
  keeping: Keeping,
): string {
  const text = keeping.read();
  if (text === null) return refreshToken;
  const { success, data } = kept.safeParse(parsed(text));
  return success && data.of === markOf(refreshToken) ? data.refreshToken : refreshToken;
}

function markOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex").slice(0, 24);
}

function tokenIn(answer: HttpAnswer): z.infer<typeof answered> {
  const { status, text } = answer;
  if (status >= 400 && status < 500 && !passing.has(status)) {
    throw new ConnectorError("auth", "no", `no token was given: it was refused with ${status}`);
  }
  const says = `whoever gives tokens answered ${status}`;
  if (status !== 200) {
    throw new ConnectorError("transient", "no", says, { retryAfterMs: restMsOf(answer) });
  }
  const read = answered.safeParse(parsed(text));
  if (read.success) return read.data;
  throw new ConnectorError("transient", "no", `${says}, with no token in it`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // What is no JSON holds none.
    return null;
  }
}

/** What must never be shown, beside the tokens themselves. */
export function secretsOf(auth: OAuth2, keeping: Keeping): readonly string[] {
  const given = auth.clientSecret === undefined ? [] : [auth.clientSecret];
  if (auth.grant === "client_credentials") return given;
  return [...given, auth.refreshToken, refreshTokenOf(auth, keeping)];
}
