import { type ErrorCode, HostError, InvariantError } from "@holdfast/core";
import { DatabaseError } from "pg";

/** States that our own functions raise (migrations/). */
export const raised = {
  refused: "HF001",
  restored: "HF002",
  unknownWorkflow: "HF003",
  missed: "HF004",
  unknownMoment: "HF005",
} as const;

/** The client gave up waiting; what the server did is not known. */
export class AnswerTimeout extends Error {
  override readonly name = "AnswerTimeout";
}

/** Five characters that the server sends with every error; null = it is not from the server. */
export function stateOf(error: unknown): string | null {
  return error instanceof DatabaseError ? (error.code ?? null) : null;
}

/**
 * Errors after which the server has surely rolled back, by the class of their state. Anything
 * else, above all a lost connection and a server that is going down, may have come after COMMIT.
 */
const rolledBack: ReadonlySet<string> = new Set([
  "22", // data
  "23", // constraint
  "25", // transaction state: a standby, a read-only session
  "28", // not let in
  "3F", // the schema is gone
  "40", // deadlock, serialization
  "42", // unknown object, missing privilege
  "53", // no room, no connections, no memory
  "54", // too complex
  "55", // lock not available, in recovery
  "HF", // our own
  "P0", // PL/pgSQL
]);

/** A statement that was cancelled is rolled back; the other 57… are the server going down. */
const queryStopped = "57014";
/** The one of class 40 that does not say so. */
const completionUnknown = "40003";

/** False = the change may be there. */
export function isSurelyNotWritten(error: unknown): boolean {
  if (error instanceof HostError) return error.retry === "safe";
  const state = stateOf(error);
  if (state === null || state === completionUnknown) return false;
  return state === queryStopped || rolledBack.has(state.slice(0, 2));
}

/** Nothing is wrong but with a change of the group: it was refused, or it came too late. */
export function isFaultOfChange(error: unknown): boolean {
  const state = stateOf(error);
  if (state === null) return false;
  if (state === raised.refused || state === raised.missed) return true;
  return ["22", "23", "54"].includes(state.slice(0, 2));
}

/** Name of the violated constraint, as in constraint-names.ts. */
export function constraintOf(state: string, name: string): string {
  if (state === raised.refused) return name;
  if (state === "23503") return "reservation_exists";
  if (state === "23505") {
    if (name === "one_open_run" || name === "retry_once") return name;
    return name === "mutation_inputs_pkey" ? "mutation_inputs_once" : "row_exists";
  }
  if (state === "23514") return name.endsWith("_word") ? "word_known" : name;
  return "value_fits_column";
}

export type Situation = {
  /** Where the database is, without a password. */
  readonly place: string;
  readonly doing: string;
};

type Remedy = readonly [code: ErrorCode, state: string, remedy: string];

const unreachable: Remedy = [
  "STORE_UNREACHABLE",
  "does not answer",
  "Check that the server runs and can be reached from here. Nothing has to be undone: Holdfast " +
    "looks what was kept before it goes on.",
];

const denied: Remedy = [
  "STORE_ACCESS_DENIED",
  "does not let this user in, or not do this",
  "Check user and password, and the grants in docs/operating/postgresql.md.",
];

const readOnly: Remedy = [
  "STORE_READ_ONLY",
  "cannot be written to",
  "It may be a standby: point Holdfast at the primary, or end the session's read-only setting.",
];

const full: Remedy = [
  "STORE_FULL",
  "has no room left",
  "Nothing of this change was written. Free disk space on the server, then try again.",
];

const busy: Remedy = [
  "STORE_BUSY",
  "has no room for this now",
  "Nothing was written. Raise max_connections or use fewer hosts or smaller pools, then try again.",
];

const differs: Remedy = [
  "STORE_SCHEMA_DIFFERS",
  "lacks something that Holdfast made",
  "Undo the change (`holdfast schema print --postgres` shows what belongs there) or restore a " +
    "backup.",
];

const corrupt: Remedy = [
  "STORE_CORRUPT",
  "has damaged data",
  "Nothing was repaired. Keep the server's files, restore a backup, and check the disk.",
];

const restored: Remedy = [
  "STORE_RESTORED",
  "is not the one that was opened",
  "It may have been restored or failed over, and lack what was sent since. See " +
    "docs/errors/STORE_RESTORED.md before it is accepted.",
];

const gone: Remedy = [
  "STORE_GONE",
  "has no such database",
  "Create the database, or correct its name in the address.",
];

/** By state, then by its class. */
const remedies: Readonly<Record<string, Remedy>> = {
  [raised.restored]: restored,
  "25006": readOnly,
  "28": denied,
  "3D": gone,
  "3F": differs,
  [completionUnknown]: unreachable,
  "40": busy,
  "42501": denied,
  "42": differs,
  "53100": full,
  "53": busy,
  "55000": readOnly,
  "55": busy,
  "57014": busy,
  "57": unreachable,
  "08": unreachable,
  XX001: corrupt,
  XX002: corrupt,
};

/** Puts what the server or the network said into words a person can act on. */
export function storeError(
  error: unknown,
  { place, doing }: Situation,
  { sent } = { sent: true },
): Error {
  if (error instanceof HostError || isBug(error)) return error;
  const state = stateOf(error);
  const said = error instanceof Error ? saidBy(error) : String(error);
  const details = { place, ...(state === null ? {} : { sqlstate: state }) };
  // The driver itself says this, when the server asks for a password and none was given.
  const known = said.startsWith("SASL") ? denied : findRemedy(state, sent);
  const retry = !sent || isSurelyNotWritten(error) ? "safe" : "unknown";
  if (known === undefined) {
    const what = `${doing}: ${place} failed (${said}).`;
    const remedy = "Look into the server's log, then start again.";
    return new HostError("STORE_IO", { what, remedy, retry, cause: error, details });
  }
  const [code, does, remedy] = known;
  const what = `${doing}: ${place} ${does} (${said}).`;
  return new HostError(code, { what, remedy, retry, cause: error, details });
}

function findRemedy(state: string | null, sent: boolean): Remedy | undefined {
  if (state === null) return unreachable;
  // Of a statement it says that the server is a standby; here, that the database takes nobody in.
  if (state === "55000" && !sent) return denied;
  return remedies[state] ?? remedies[state.slice(0, 2)];
}

/** Several addresses that were tried are one AggregateError without a message. */
function saidBy(error: Error): string {
  if (error.message !== "") return error.message;
  if (error instanceof AggregateError) {
    return error.errors.map((each) => (each instanceof Error ? each.message : "")).join("; ");
  }
  return error.name;
}

function isBug(error: unknown): error is Error {
  return [InvariantError, ReferenceError, TypeError, RangeError].some(
    (kind) => error instanceof kind,
  );
}

/** For cases in which nothing was written by the call itself. */
export function hostError(
  code: ErrorCode,
  text: { readonly what: string; readonly remedy: string },
  place: string,
): HostError {
  return new HostError(code, { ...text, retry: "safe", details: { place } });
}
