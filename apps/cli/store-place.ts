import { accessSync, constants } from "node:fs";

/** The command line, or the environment that completes it, made no sense; nothing was opened. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

export type StorePlace =
  | { readonly kind: "folder"; readonly folder: string }
  | { readonly kind: "postgres"; readonly url: string };

/** A URL may hold a password, which as an argument every user of the machine could read. */
export const urlVariable = "HOLDFAST_POSTGRES_URL";
const folderVariable = "HOLDFAST_DATA";

/** Which store a command is for: what its line says, then what the environment says. */
export function findPlace(data: string | undefined): StorePlace {
  if (data !== undefined) return { kind: "folder", folder: data };
  if (variable(urlVariable) !== null) {
    return { kind: "postgres", url: requireUrl({ orElse: ", or name the folder with --data" }) };
  }
  return { kind: "folder", folder: variable(folderVariable) ?? ".holdfast" };
}

/** For commands that make sense on PostgreSQL only; `orElse` is what else the others offer. */
export function requireUrl({ orElse } = { orElse: "" }): string {
  const url = variable(urlVariable);
  if (url === null) {
    throw new UsageError(
      `${urlVariable} is not set, and this command is for PostgreSQL. ` +
        "Set it to postgres://user@host:5432/database; PGPASSWORD may hold the password.",
    );
  }
  const folder = variable(folderVariable);
  if (folder !== null) {
    throw new UsageError(
      `two stores are named: ${folderVariable} is ${folder}, and ${urlVariable} is set too. ` +
        `Nothing was opened. Unset one of them${orElse}.`,
    );
  }
  refuseUnreadableFiles(url);
  return url;
}

/** An empty variable is what an unset one becomes on its way through other tools. */
function variable(name: string): string | null {
  return process.env[name] || null;
}

function refuseUnreadableFiles(url: string): void {
  if (!URL.canParse(url)) return; // the store says what is wrong with it
  const { searchParams } = new URL(url);
  for (const name of ["sslrootcert", "sslcert", "sslkey"]) {
    const path = searchParams.get(name);
    if (path === null) continue;
    try {
      accessSync(path, constants.R_OK);
    } catch {
      throw new UsageError(`${urlVariable} names ${path} as ${name}, which cannot be read.`);
    }
  }
}
