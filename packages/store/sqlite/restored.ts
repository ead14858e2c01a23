import { invariant } from "@holdfast/core";
import type { Connection } from "./connection.ts";
import { hostError } from "./errors.ts";

export type StoreName = { readonly storeIncarnation: string; readonly restoredFrom: string | null };

/** How the store is opened, and what the note beside it says of the last time. */
export type Opening = {
  /** Never used before: database and note both have it from now on. */
  readonly openedAs: string;
  readonly lastOpenedAs: string | null;
  readonly lastIncarnation: string | null;
  readonly isCopy: boolean;
  /** A person has said that it is to be used although it may be older than what was sent. */
  readonly acceptRestored: boolean;
  /** Said by the same person: it was restored, although nothing shows it. */
  readonly isUnnoticed: boolean;
};

type Meta = StoreName & { readonly openedAs: string | null; readonly openedBefore: string | null };

/**
 * Refuses a database that is not where, or what, it was when it was last opened. One that a person
 * has accepted becomes a new store, and every workflow in it is looked at by its next owner, due
 * or not. The database is written before the note: it knows what the note says until then.
 */
export function admitOpening(
  connection: Connection,
  newIncarnation: () => string,
  opening: Opening,
): StoreName {
  const meta = loadMeta(connection);
  const shows = findRestore(meta, opening, isEmpty(connection));
  if (shows !== null && !opening.acceptRestored) throw restored(connection.path, shows);
  connection.run(
    "UPDATE store_meta SET opened_as = ?, opened_before = ?",
    opening.openedAs,
    opening.lastOpenedAs,
  );
  const isAccepted = opening.acceptRestored && (shows !== null || opening.isUnnoticed);
  return isAccepted ? renew(connection, meta, newIncarnation()) : meta;
}

function loadMeta(connection: Connection): Meta {
  const row = connection.row(
    "SELECT store_incarnation, restored_from, opened_as, opened_before FROM store_meta",
  );
  invariant(row, "a store that was made is there");
  const [storeIncarnation, ...others] = row;
  const [restoredFrom = null, openedAs = null, openedBefore = null] = others.map((each) =>
    each === null ? null : String(each),
  );
  return { storeIncarnation: String(storeIncarnation), restoredFrom, openedAs, openedBefore };
}

/** In words; null = nothing shows that it is not the one it was. */
function findRestore(meta: Meta, opening: Opening, hasNothing: boolean): string | null {
  const { lastIncarnation, lastOpenedAs } = opening;
  // Accepted, and then the process died before the note was written.
  const isAccepted = meta.restoredFrom !== null && meta.restoredFrom === lastIncarnation;
  if (opening.isCopy && !isAccepted) return "is in a folder that was copied or put back";
  if (meta.openedAs === null) return null;
  // Of a first start that died before it wrote the note: then nothing can have been sent either.
  if (lastOpenedAs === null && hasNothing) return null;
  const known = [meta.openedAs, meta.openedBefore];
  const isKnown = lastOpenedAs !== null && known.includes(lastOpenedAs);
  return isKnown ? null : "is not the one that was last opened in this folder";
}

function isEmpty(connection: Connection): boolean {
  return connection.row("SELECT 1 FROM workflows LIMIT 1") === undefined;
}

function renew(connection: Connection, meta: StoreName, storeIncarnation: string): StoreName {
  const restoredFrom = meta.storeIncarnation;
  invariant(storeIncarnation !== restoredFrom, "a restored store has a new name");
  connection.run(
    "UPDATE store_meta SET store_incarnation = ?, restored_from = ?",
    storeIncarnation,
    restoredFrom,
  );
  connection.run(
    "UPDATE workflows SET epoch = epoch + 1, unclean_since = coalesce(unclean_since, 0)",
  );
  return { storeIncarnation, restoredFrom };
}

function restored(path: string, shows: string): Error {
  return hostError("STORE_RESTORED", {
    what: `${path} ${shows}.`,
    remedy:
      "A backup was restored, or this is a copy of a store; what was sent since may not be in " +
      "the ledger. Follow docs/errors/STORE_RESTORED.md; it ends with " +
      "`holdfast accept-restored --ledger-compared`.",
    details: { path },
  });
}
