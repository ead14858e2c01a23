import type { Role } from "@holdfast/protocol";
import type { AccessBook, AccessState, TokenEntry, VisitEntry } from "./access-book.ts";
import {
  createToken,
  isOver,
  type MadeToken,
  type NewToken,
  refused,
  revokeToken,
} from "./change-tokens.ts";
import { LoginCodes } from "./login-codes.ts";
import { findByHash, hashOf, newSecret } from "./secret.ts";

/** A day's work; then the browser needs a new link. */
const visitMsMax = 43_200_000;
/** Of one token. Who logs in on one more browser is out on the one that came in first. */
const visitCountMax = 20;

/** Who is asking: the name goes into the journal with whatever is asked. */
export type Asker = {
  readonly name: string;
  readonly role: Role;
  readonly by: "token" | "visit";
  readonly tokenHash: string;
  /** When it is over; null = never. */
  readonly until: number | null;
  /** What it reaches; null = everything. */
  readonly workflows: readonly string[] | null;
};

type Found = Asker | "unknown" | "expired";

export type AccessOptions = {
  readonly book: AccessBook;
  /** A token that is not in the book but in the environment of this process. */
  readonly given: TokenEntry | null;
  readonly now: () => number;
};

/** Who may come in: tokens, and browsers that were let in with a login link. */
export class Access {
  readonly #book: AccessBook;
  readonly #given: TokenEntry | null;
  readonly #now: () => number;
  readonly #codes = new LoginCodes();

  constructor({ book, given, now }: AccessOptions) {
    this.#book = book;
    this.#given = given;
    this.#now = now;
  }

  findToken(token: string): Found {
    return this.#asker(hashOf(token), { by: "token", until: null });
  }

  findVisit(cookie: string): Found {
    const visit = findByHash(this.#book.read().visits, hashOf(cookie));
    if (visit === null) return "unknown";
    if (isOver(visit, this.#now())) return "expired";
    return this.#asker(visit.tokenHash, { by: "visit", until: visit.expiresAt });
  }

  #asker(tokenHash: string, how: Pick<Asker, "by" | "until">): Found {
    const entry = findByHash(this.tokens(), tokenHash);
    if (entry === null) return "unknown";
    if (isOver(entry, this.#now())) return "expired";
    const { name, role, workflows, expiresAt } = entry;
    const until = how.until === null ? expiresAt : Math.min(how.until, expiresAt ?? how.until);
    return { name, role, by: how.by, tokenHash, until, workflows };
  }

  tokens(): readonly TokenEntry[] {
    const { tokens } = this.#book.read();
    return this.#given === null ? tokens : [this.#given, ...tokens];
  }

  create(given: Omit<NewToken, "now">): MadeToken {
    this.#refuseGiven(given.name);
    return createToken(this.#book, { ...given, now: this.#now() });
  }

  revoke(name: string): TokenEntry {
    this.#refuseGiven(name);
    const isLastAllowed = this.#given !== null;
    return revokeToken(this.#book, { name, now: this.#now(), isLastAllowed });
  }

  #refuseGiven(name: string): void {
    if (this.#given?.name !== name) return;
    const what = `${name} is the name of the token that this host was started with.`;
    throw refused(what, "It ends when the host is started without HOLDFAST_TOKEN.");
  }

  /** For a login link; it is as good as the token, once. */
  newLoginCode({ tokenHash }: Pick<Asker, "tokenHash">) {
    return this.#codes.make(tokenHash, this.#now());
  }

  /** Null = such a code was never made, was used, is over, or its token is. */
  login(code: string): { readonly cookie: string; readonly asker: Asker } | null {
    const now = this.#now();
    const tokenHash = this.#codes.take(code, now);
    if (tokenHash === null) return null;
    const until = now + visitMsMax;
    const asker = this.#asker(tokenHash, { by: "visit", until });
    if (typeof asker === "string") return null;
    const cookie = newSecret();
    const visit = { hash: hashOf(cookie), tokenHash, startedAt: now, expiresAt: until };
    this.#book.update((state) => ({ state: withVisit(state, visit), told: null }));
    return { cookie, asker };
  }

  logout(cookie: string): void {
    const hash = hashOf(cookie);
    this.#book.update((state) => {
      const visits = state.visits.filter((each) => each.hash !== hash);
      return { state: { ...state, visits }, told: null };
    });
  }
}

/** Those that are over leave, and so do the oldest of a token that has too many. */
function withVisit(state: AccessState, visit: VisitEntry): AccessState {
  const live = state.visits.filter((each) => !isOver(each, visit.startedAt));
  const others = live.filter((each) => each.tokenHash !== visit.tokenHash);
  const own = live.filter((each) => each.tokenHash === visit.tokenHash);
  return { ...state, visits: [...others, ...own.slice(1 - visitCountMax), visit] };
}
