import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AccessBook, AccessState, TokenEntry } from "./access-book.ts";
import { entryOf, isAdmin, type MadeToken } from "./change-tokens.ts";
import { hashOf, newSecret } from "./secret.ts";

const tokenCharsMin = 32;

type FirstOptions = {
  /** Null = nobody keeps it for the commands on this machine: it has to be shown. */
  readonly folder: string | null;
  readonly name: string;
  readonly now: number;
};

/**
 * No host is without an admin: the first start makes one, in the name of whoever starts it. Null =
 * there is one.
 */
export function makeFirstToken(book: AccessBook, options: FirstOptions): MadeToken | null {
  const hasAdmin = ({ tokens }: AccessState) => tokens.some((each) => isAdmin(each, options.now));
  // A file that may only be read is enough for a host that has nothing to add to it.
  if (book.isThere && hasAdmin(book.read())) return null;
  return book.update((state) => {
    if (hasAdmin(state)) return { state, told: null };
    const token = tokenToUse(state, options.folder);
    const name = freeName(state.tokens, options.name);
    const { now } = options;
    const given = { name, role: "admin", expiresInMs: null, by: "first start", now } as const;
    const entry = entryOf(given, token);
    return { state: { ...state, tokens: [...state.tokens, entry] }, told: { entry, token } };
  });
}

/** One that lies in the folder already was made by a start that did not get any further. */
function tokenToUse({ tokens }: AccessState, folder: string | null): string {
  if (folder === null) return newSecret();
  const found = findOwnToken(folder);
  const isFree = found !== null && !tokens.some(({ hash }) => hash === hashOf(found));
  if (isFree) return found;
  const token = newSecret();
  rmSync(join(folder, "token"), { force: true });
  writeFileSync(join(folder, "token"), `${token}\n`, { mode: 0o600, flush: true });
  return token;
}

function freeName(tokens: readonly TokenEntry[], wanted: string): string {
  const names = [wanted, "admin"];
  for (let number = 2; ; number++) {
    const free = names.find((name) => !tokens.some((each) => each.name === name));
    if (free !== undefined) return free;
    names.push(`admin-${number}`);
  }
}

/** With this one the commands on this machine ask. Null = there is none, or not a whole one. */
function findOwnToken(folder: string): string | null {
  try {
    const token = readFileSync(join(folder, "token"), "utf8").trim();
    return token.length >= tokenCharsMin ? token : null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** A token that was revoked is of no use to anybody. */
export function forgetOwnToken(folder: string, { hash }: Pick<TokenEntry, "hash">): void {
  const found = findOwnToken(folder);
  if (found !== null && hashOf(found) === hash) rmSync(join(folder, "token"), { force: true });
}
