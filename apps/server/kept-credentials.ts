import { readFileSync, renameSync, writeFileSync } from "node:fs";
import type { Keeping } from "@holdfast/connector-kit";
import { log } from "./host-log.ts";
import { type KeyPlace, readKey, readOrMakeKey } from "./seal/key.ts";
import { isSealed, type SealedText, sealText, unsealText } from "./seal/sealed-text.ts";

/**
 * What services gave in place of credentials, by account, sealed in a file beside that of the
 * accounts. Without it a host that starts again would use what the service has taken back.
 */
export class KeptCredentials {
  readonly #path: string | null;
  readonly #keyPlace: KeyPlace;
  readonly #texts = new Map<string, string>();

  /** A null path, or no key: they live as long as the process. */
  constructor(path: string | null, keyPlace: KeyPlace) {
    this.#path = keyPlace.kind === "none" ? null : path;
    this.#keyPlace = keyPlace;
    for (const [account, sealed] of Object.entries(this.#read())) {
      const text = unsealText(sealed, readKey(keyPlace));
      // Sealed with another key: whoever has that one no more has written the account anew.
      if (text !== null) this.#texts.set(account, text);
    }
  }

  of(account: string): Keeping {
    return {
      read: () => this.#texts.get(account) ?? null,
      write: (text) => {
        this.#texts.set(account, text);
        this.#write();
      },
    };
  }

  forget(account: string): void {
    if (this.#texts.delete(account)) this.#write();
  }

  #read(): Readonly<Record<string, SealedText>> {
    if (this.#path === null) return {};
    try {
      const read = JSON.parse(readFileSync(this.#path, "utf8")) as Record<string, unknown>;
      const sealed = Object.entries(read).filter(([, each]) => isSealed(each));
      return Object.fromEntries(sealed) as Record<string, SealedText>;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
      throw error;
    }
  }

  /** Whole or not at all. A call does not fail because of it; the next start may. */
  #write(): void {
    const path = this.#path;
    if (path === null) return;
    try {
      const key = readOrMakeKey(this.#keyPlace);
      const sealed = [...this.#texts].map(([account, text]) => [account, sealText(text, key)]);
      const text = JSON.stringify(Object.fromEntries(sealed));
      writeFileSync(`${path}.new`, `${text}\n`, { mode: 0o600 });
      renameSync(`${path}.new`, path);
    } catch (error) {
      const { code = "unknown" } = error as NodeJS.ErrnoException;
      log.complain(`A renewed credential could not be written to ${path} (${code}).`, { code });
    }
  }
}
