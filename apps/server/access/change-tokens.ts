import { HostError } from "@holdfast/core";
import type { Role } from "@holdfast/protocol";
import type { AccessBook, AccessState, TokenEntry } from "./access-book.ts";
import { hashOf, newSecret } from "./secret.ts";
import { whyNotName } from "./token-name.ts";

/** Every request looks at all of them. */
const tokenCountMax = 1_000;

export type NewToken = {
  readonly name: string;
  readonly role: Role;
  readonly expiresInMs: number | null;
  /** Null = it reaches everything. */
  readonly workflows?: readonly string[] | null;
  readonly by: string;
  readonly now: number;
};

/** The token is in this answer and nowhere else. */
export type MadeToken = { readonly entry: TokenEntry; readonly token: string };

export function createToken(book: AccessBook, given: NewToken): MadeToken {
  const token = newSecret();
  const entry = entryOf(given, token);
  return book.update((state) => ({ state: withToken(state, entry), told: { entry, token } }));
}

export function entryOf(given: NewToken, token: string): TokenEntry {
  const { name, role, expiresInMs, workflows = null, by, now } = given;
  const fault = whyNotName(name);
  if (fault !== null) throw refused(`The name of a token ${fault}.`, "Choose another name.");
  const expiresAt = expiresInMs === null ? null : now + expiresInMs;
  const hash = hashOf(token);
  return { name, role, hash, createdAt: now, createdBy: by, expiresAt, workflows };
}

function withToken(state: AccessState, entry: TokenEntry): AccessState {
  if (state.tokens.some(({ name }) => name === entry.name)) {
    const what = `There is a token ${entry.name} already.`;
    throw refused(what, "Choose another name, or revoke that one first.");
  }
  if (state.tokens.length >= tokenCountMax) {
    throw refused(`There are ${tokenCountMax} tokens.`, "Revoke those that nobody needs.");
  }
  return { ...state, tokens: [...state.tokens, entry] };
}

type Revocation = {
  readonly name: string;
  readonly now: number;
  /** There is an admin beside those of the book. */
  readonly isLastAllowed?: boolean;
};

/** Whoever came in with it is out at once: its visits go with it. */
export function revokeToken(
  book: AccessBook,
  { name, now, isLastAllowed = false }: Revocation,
): TokenEntry {
  return book.update((state) => {
    const entry = state.tokens.find((each) => each.name === name);
    if (entry === undefined) throw refused(`There is no token ${name}.`, "`holdfast token ls`.");
    const tokens = state.tokens.filter((each) => each !== entry);
    const isLast = isAdmin(entry, now) && !tokens.some((each) => isAdmin(each, now));
    if (isLast && !isLastAllowed) {
      throw refused(`${name} is the last admin.`, "Make another admin token, then revoke this.");
    }
    const visits = state.visits.filter(({ tokenHash }) => tokenHash !== entry.hash);
    return { state: { tokens, visits }, told: entry };
  });
}

export function isOver(entry: { readonly expiresAt: number | null }, now: number): boolean {
  return entry.expiresAt !== null && entry.expiresAt <= now;
}

export function isAdmin(entry: TokenEntry, now: number): boolean {
  return entry.role === "admin" && entry.workflows === null && !isOver(entry, now);
}

export function refused(what: string, remedy: string): HostError {
  return new HostError("TOKEN_REFUSED", { what, remedy, retry: "safe" });
}
