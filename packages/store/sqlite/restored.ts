import { type Arrival, type ExportMark, invariant } from "@holdfast/core";
import { exportedStore, occupiedStore, unfinishedStore } from "../moved-errors.ts";
import type { Connection } from "./connection.ts";
import { hostError } from "./errors.ts";

export type StoreName = {
  readonly storeIncarnation: string;
  readonly restoredFrom: string | null;
  readonly arrival?: Arrival;
};

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
  /** Said by the same person: it was exported, and goes on here all the same. */
  readonly isExported: boolean;
  /** An export is to go into it. */
  readonly isArriving: boolean;
};

type Meta = StoreName & {
  readonly openedAs: string | null;
  readonly openedBefore: string | null;
  readonly exported: ExportMark | null;
  readonly isUnfinished: boolean;
};

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
  refuseMoved(connection.path, meta, opening);
  const shows = findRestore(meta, opening, isEmpty(connection));
  if (shows !== null && !opening.acceptRestored) throw restored(connection.path, shows);
  connection.run(
    "UPDATE store_meta SET opened_as = ?, opened_before = ?",
    opening.openedAs,
    opening.lastOpenedAs,
  );
  if (opening.isArriving) return beginArrival(connection, meta, newIncarnation());
  const isRestored = shows !== null || opening.isUnnoticed || meta.exported !== null;
  const isAccepted = opening.acceptRestored && isRestored;
  return isAccepted ? renew(connection, meta, newIncarnation()) : meta;
}

/** Nobody's word makes a whole store of a part; one that was exported may go on by a word. */
function refuseMoved(path: string, { isUnfinished, exported }: Meta, opening: Opening): void {
  if (isUnfinished) throw unfinishedStore(path);
  if (exported === null || (opening.acceptRestored && opening.isExported)) return;
  throw exportedStore(path, exported);
}

function loadMeta(connection: Connection): Meta {
  const row = connection.row(
    `SELECT store_incarnation, restored_from, opened_as, opened_before, exported_by, exported_to,
      arrival, exported_at, arriving FROM store_meta`,
  );
  invariant(row, "a store that was made is there");
  const [storeIncarnation, ...others] = row;
  const texts = others.map((each) => (each === null ? null : String(each)));
  const [restoredFrom = null, openedAs = null, openedBefore = null, by, file, arrival] = texts;
  const [exportedAt = null, arriving] = row.slice(7);
  return {
    storeIncarnation: String(storeIncarnation),
    restoredFrom,
    openedAs,
    openedBefore,
    exported:
      exportedAt === null ? null : { at: Number(exportedAt), by: by ?? "", file: file ?? "" },
    isUnfinished: arriving === 1,
    ...(typeof arrival === "string" ? { arrival: JSON.parse(arrival) as Arrival } : {}),
  };
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
    `UPDATE store_meta SET store_incarnation = ?, restored_from = ?, arrival = NULL,
      exported_at = NULL, exported_by = NULL, exported_to = NULL`,
    storeIncarnation,
    restoredFrom,
  );
  leaveToNextOwners(connection);
  return { storeIncarnation, restoredFrom };
}

/** No owner of before can commit, and every workflow is looked at, due or not. */
function leaveToNextOwners(connection: Connection): void {
  connection.run(
    "UPDATE workflows SET epoch = epoch + 1, unclean_since = coalesce(unclean_since, 0)",
  );
}

/** From here on the store is refused to everybody else until `finishArrival`. */
function beginArrival(connection: Connection, meta: StoreName, name: string): StoreName {
  if (!isEmpty(connection)) throw occupiedStore(connection.path, "holds workflows");
  const brake = connection.row("SELECT 1 FROM store_brake WHERE is_on = 1");
  if (brake !== undefined) throw occupiedStore(connection.path, "has the brake on all sending");
  const restoredFrom = meta.storeIncarnation;
  connection.run(
    "UPDATE store_meta SET store_incarnation = ?, restored_from = ?, arriving = 1",
    name,
    restoredFrom,
  );
  return { storeIncarnation: name, restoredFrom };
}

/** Runs inside a write: what came is a restored store, whole. */
export function finishArrival(connection: Connection, arrival: Arrival): void {
  connection.run(
    "UPDATE store_meta SET restored_from = ?, arriving = 0, arrival = ?",
    arrival.from,
    JSON.stringify(arrival),
  );
  leaveToNextOwners(connection);
}

/** Runs inside a write. */
export function persistMark(connection: Connection, { at, by, file }: ExportMark): void {
  const sql = "UPDATE store_meta SET exported_at = ?, exported_by = ?, exported_to = ?";
  connection.run(sql, at, by, file);
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
