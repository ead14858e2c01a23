import {
  ConnectorError,
  type Hide,
  hiding,
  type Keeping,
  RenewedToken,
} from "@holdfast/connector-kit";
import type { HttpAnswer } from "../wire/request.ts";
import type { Auth, WrittenAccount } from "./account.ts";
import { askForToken, secretsOf } from "./oauth2.ts";

/** How requests of one account say who they are from, and what of that nobody may see. */
export interface SignIn {
  /** Throws ConnectorError if there is no way; nothing of the call has been sent then. */
  headers(signal: AbortSignal): Promise<Readonly<Record<string, string>>>;
  /** What the answer says of them; throws if others have to be asked for first. */
  judge(answer: HttpAnswer, headers: Readonly<Record<string, string>>): void;
  credentials(): readonly string[];
}

export function signInOf(account: WrittenAccount, keeping: Keeping): SignIn {
  const { auth } = account;
  if (auth?.kind === "oauth2") return renewing(account, auth, keeping);
  const [headers, credentials] = [fixedHeaders(auth), fixedCredentials(auth)];
  return { headers: async () => headers, judge: () => {}, credentials: () => credentials };
}

type Fixed = Exclude<Auth, { kind: "oauth2" }>;

function fixedHeaders(given: Fixed | undefined): Readonly<Record<string, string>> {
  switch (given?.kind) {
    case undefined:
      return {};
    case "bearer":
      return { authorization: `Bearer ${given.token}` };
    case "basic":
      return { authorization: `Basic ${basicOf(given)}` };
    case "header":
      return { [given.name]: given.value };
  }
}

function basicOf({ user, password }: { readonly user: string; readonly password: string }): string {
  return Buffer.from(`${user}:${password}`).toString("base64");
}

function fixedCredentials(given: Fixed | undefined): readonly string[] {
  switch (given?.kind) {
    case undefined:
      return [];
    case "bearer":
      return [given.token];
    case "basic":
      return [given.password, basicOf(given)];
    case "header":
      return [given.value];
  }
}

function renewing(
  { timeoutMs, allowPrivateAddresses }: WrittenAccount,
  auth: Extract<Auth, { kind: "oauth2" }>,
  keeping: Keeping,
): SignIn {
  const asking = { auth, timeoutMs, allowPrivateAddresses, keeping };
  const renewed = new RenewedToken({ renew: () => askForToken(asking) });
  const scheme = "Bearer ";
  return {
    headers: async (signal) => ({ authorization: `${scheme}${await renewed.get(signal)}` }),
    judge: ({ status }, { authorization = "" }) => {
      const token = authorization.slice(scheme.length);
      if (status !== 401) return renewed.accepted(token);
      if (!renewed.refused(token)) return;
      // It was good before: it has ended early, and the call is made again with another.
      throw new ConnectorError("transient", "no", "the token is over; another is asked for");
    },
    credentials: () => [...renewed.seen, ...secretsOf(auth, keeping)],
  };
}

/** One request in the account's name; what its answer says of that is taken in. */
export async function signedIn(
  {
    account,
    signal,
  }: { readonly account: { readonly signIn: SignIn }; readonly signal: AbortSignal },
  request: (headers: Readonly<Record<string, string>>) => Promise<HttpAnswer>,
): Promise<HttpAnswer> {
  const { signIn } = account;
  const headers = await signIn.headers(signal);
  const answer = await request(headers);
  signIn.judge(answer, headers);
  return answer;
}

/** A result is data, so only what is certainly a credential is taken out of it. */
export function hidersOf({
  signIn,
  headers,
}: {
  readonly signIn: SignIn;
  readonly headers: Readonly<Record<string, string>>;
}): { hideInError: Hide; hideInResult: Hide } {
  const credentials = signIn.credentials();
  return {
    hideInError: hiding([...credentials, ...Object.values(headers)]),
    hideInResult: hiding(credentials),
  };
}
