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

/** A server without TLS would otherwise be taken for one that is down. */
const withoutTls: Remedy = [
  "STORE_UNREACHABLE",
  "does not offer TLS, which sslmode asks for",
  "Nothing was sent, not even the password. Switch TLS on at the server (ssl = on); only where " +
    "nobody can listen in, write sslmode=disable in the address.",
];

const untrusted: Remedy = [
  "STORE_UNREACHABLE",
  "answers, but its certificate is not accepted",
  "Nothing was sent, not even the password. With a certificate authority of your own, name its " +
    "file in the address: sslmode=verify-full&sslrootcert=/path/root.crt. The name of the " +
    "server in the address has to stand in the certificate.",
];

const noTls: Remedy = [
  "STORE_UNREACHABLE",
  "answers, but a TLS connection did not come about",
  "Check sslmode, sslrootcert, sslcert and sslkey in the address, and the TLS versions that the " +
    "server allows. Nothing has to be undone.",
];

const denied: Remedy = [
  "STORE_ACCESS_DENIED",
  "does not let this user in",
  "Check user and password. If the server speaks of pg_hba.conf, it has to list this user, " +
    'database and address; if it says "no encryption", add sslmode=verify-full to the address.',
];

const notGranted: Remedy = [
  "STORE_ACCESS_DENIED",
  "does not let this role do it",
  "As the owner of the schema, run `holdfast schema apply --grant <role>` for this role; see " +
    "docs/operating/postgresql.md, two roles.",
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

const crowded: Remedy = [
  "STORE_BUSY",
  "has no connection left",
  "Nothing was written. Raise max_connections (or the role's limit), or use fewer hosts, then " +
    "try again.",
];

const outOfMemory: Remedy = [
  "STORE_BUSY",
  "has no memory left for this",
  "Nothing was written. See what else the server is doing and what memory it has, then try again.",
];

const busy: Remedy = [
  "STORE_BUSY",
  "cannot do this now",
  "Nothing was written. What the server said is in the parentheses; try again.",
];

const overtaken: Remedy = [
  "STORE_BUSY",
  "gave this up because another transaction stood in the way",
  "Nothing was written; try again. If it comes often, somebody else writes to Holdfast's tables.",
];

const lockedOut: Remedy = [
  "STORE_BUSY",
  "did not give a lock in time",
  "Nothing was written; try again. If it comes again, find out who holds the lock: " +
    "docs/errors/STORE_BUSY.md says how.",
];

const stopped: Remedy = [
  "STORE_BUSY",
  "stopped the statement before it was done",
  "Nothing was written; try again. If a statement_timeout did it, leave that at 0 for Holdfast's " +
    "role, or above 30 s.",
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
  "It was restored, has failed over or is a copy, and may lack what was sent since; or somebody " +
    "accepted it, and this program has to be started anew. Follow docs/errors/STORE_RESTORED.md; " +
    "it ends with `holdfast accept-restored --ledger-compared`.",
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
  "40": overtaken,
  "42501": notGranted,
  "42": differs,
  "53100": full,
  "53200": outOfMemory,
  "53300": crowded,
  "53": busy,
  "55000": readOnly,
  "55P03": lockedOut,
  "55": busy,
  [queryStopped]: stopped,
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
  const known = state === null ? findUnsaid(error, said) : findRemedy(state, sent);
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

/** What the driver or the network says, and not the server. */
function findUnsaid(error: unknown, said: string): Remedy {
  // When the server asks for a password and none was given.
  if (said.startsWith("SASL")) return denied;
  if (said === "The server does not support SSL connections") return withoutTls;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (certificateCodes.test(code)) return untrusted;
  return tlsCodes.test(code) || said.includes("SSL connection") ? noTls : unreachable;
}

/** As Node names what it does not accept of a certificate, and what else fails in TLS. */
const certificateCodes = /^(CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_|ERR_TLS_CERT_)/;
const tlsCodes = /^(EPROTO$|ERR_SSL_|ERR_TLS_|ERR_OSSL_)/;

function findRemedy(state: string, sent: boolean): Remedy | undefined {
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
