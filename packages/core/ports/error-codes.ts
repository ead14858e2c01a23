/**
 * Operational errors: something outside the program's own rules went wrong. Each code is stable
 * and has a page in docs/errors. Refusals (a person or script asked for what is not allowed now)
 * are values with their own names, see refusal.ts.
 */
export const errorCodes = {
  STORE_LOCKED: "Another process owns this data folder.",
  STORE_READ_ONLY: "The database cannot be written to.",
  STORE_FULL: "There is no room left for the database.",
  STORE_GONE: "The store is gone, was replaced, cannot be opened or was never made.",
  STORE_NOT_A_DATABASE: "What is there is not a Holdfast database.",
  STORE_SCHEMA_NEWER: "The database was written by a newer Holdfast.",
  STORE_SCHEMA_DIFFERS: "A schema object is not the one Holdfast created.",
  STORE_NOT_DURABLE: "The database does not sync what it acknowledges.",
  STORE_IO: "Reading or writing the database failed.",
  STORE_CORRUPT: "The database is damaged.",
  STORE_UNREACHABLE: "There is no usable connection to the database server.",
  STORE_BUSY: "The database server cannot do this now.",
  STORE_ACCESS_DENIED: "The database server does not let this user do what is needed.",
  STORE_SERVER_UNFIT: "The database server is too old or set up in a way Holdfast cannot use.",
  STORE_RESTORED: "The store is not the one that was last used: it may be older than the world.",
  HOST_TAKEN: "A host of that name is registered already.",
  STORE_CLOSED: "The store was used after it was closed.",
  CHANGE_REFUSED: "The database itself refused a change that would break a promise.",
  JOURNAL_CORRUPT: "A journal record is not what was written.",
  JOURNAL_TRUNCATED: "Journal records are missing.",
  FACT_VERSION_UNKNOWN: "The journal holds facts of a newer Holdfast.",
  TABLES_DIFFER: "A table row does not match what the journal says.",
  INVARIANT_BROKEN: "The recorded state breaks a rule that must always hold.",
  BLOB_MISSING: "A stored payload is not there.",
  BLOB_CORRUPT: "A stored payload is not what its hash says.",
  COMMAND_ID_REUSED: "The same command id came with another kind or body.",
  COMMAND_MALFORMED: "The command's envelope cannot be recorded.",
  CURSOR_UNKNOWN: "The cursor was not given out by this store.",
  STORE_CHANGED: "The store was changed while it was being read.",
  WORKFLOW_UNKNOWN: "There is no workflow of that name.",
  PORT_TAKEN: "Another process listens on the host's port.",
  ACCOUNTS_UNUSABLE: "A file that this host reads at its start cannot be used.",
  SECRET_UNREADABLE: "What was sealed can only be read with the key it was sealed with.",
  ACCOUNT_MISSING: "The script needs an account that this host does not have.",
  SCRIPT_INVALID: "The script cannot be deployed as it is.",
  COMMAND_REFUSED: "The workflow's owner refused the command.",
  DELIVERY_REFUSED: "A push to a webhook was not taken in.",
  REQUEST_INVALID: "The request is not one that the API knows.",
  TOKEN_WRONG: "The host's API opens to its token only.",
  HOST_UNREACHABLE: "No host answers there.",
} as const;

export type ErrorCode = keyof typeof errorCodes;
