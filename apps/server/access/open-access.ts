import { join } from "node:path";
import { Access } from "./access.ts";
import { type AccessBook, MemoryBook } from "./access-book.ts";
import { entryOf } from "./change-tokens.ts";
import { FileBook } from "./file-book.ts";
import { makeFirstToken } from "./own-token.ts";
import { nameOfUser } from "./token-name.ts";

type AccessPlace = {
  /** From the environment: an admin for as long as this process lives. */
  readonly token: string | null;
  /** Null = what is made ends with the process. */
  readonly tokensFile: string | null;
  /** Where commands on this machine look for their token. */
  readonly folder: string | null;
};

type OpenedAccess = {
  readonly access: Access;
  /** What whoever started the host has to know, once. */
  readonly said: (url: string) => readonly string[];
};

/** Who may come in; at the first start that is whoever started it. */
export function openAccess({ token, tokensFile, folder }: AccessPlace): OpenedAccess {
  const now = () => Date.now();
  const book: AccessBook = tokensFile === null ? new MemoryBook() : new FileBook(tokensFile);
  const name = nameOfUser();
  if (token !== null) {
    const by = "HOLDFAST_TOKEN";
    const given = entryOf({ name, role: "admin", expiresInMs: null, by, now: now() }, token);
    if (!book.isThere) book.update((state) => ({ state: { ...state }, told: null }));
    return { access: new Access({ book, given, now }), said: () => [] };
  }
  const first = makeFirstToken(book, { folder, name, now: now() });
  const access = new Access({ book, given: null, now });
  if (first === null) return { access, said: () => [] };
  const { entry } = first;
  const said = (url: string) => {
    const { code } = access.newLoginCode({ tokenHash: entry.hash });
    const place = folder === null ? `is ${first.token}` : `is in ${join(folder, "token")}`;
    return [
      `The token of ${entry.name} (admin) ${place}`,
      `To log in with a browser, once, within 10 minutes: ${url}/login#${code}`,
    ];
  };
  return { access, said };
}
