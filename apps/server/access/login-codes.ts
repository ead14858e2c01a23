import { findByHash, hashOf, newSecret } from "./secret.ts";

/** Long enough to get from a terminal to a browser. */
const codeMsMax = 600_000;
/** More than that are open at once only when somebody asks for them in a loop. */
const codeCountMax = 100;

type Code = { readonly hash: string; readonly tokenHash: string; readonly expiresAt: number };

/** What a login link holds: it lets one browser in, once, in the name of one token. */
export class LoginCodes {
  #open: readonly Code[] = [];

  make(tokenHash: string, now: number): { readonly code: string; readonly expiresAt: number } {
    const code = newSecret();
    const expiresAt = now + codeMsMax;
    const live = this.#open.filter((each) => each.expiresAt > now);
    // The oldest give way: whoever asked last is at the browser now.
    this.#open = [...live, { hash: hashOf(code), tokenHash, expiresAt }].slice(-codeCountMax);
    return { code, expiresAt };
  }

  /** Whose it is; it is nobody's afterwards. Null = it was never made, was used or is over. */
  take(code: string, now: number): string | null {
    const found = findByHash(this.#open, hashOf(code));
    if (found === null) return null;
    this.#open = this.#open.filter((each) => each !== found);
    return found.expiresAt > now ? found.tokenHash : null;
  }
}
