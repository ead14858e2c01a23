import pg from "pg";

const connectMsMax = 10_000;

/** Whole numbers stay numbers: the core admits none that JavaScript could not hold. */
const types = {
  getTypeParser: ((id: number, format?: "text" | "binary") =>
    id === pg.types.builtins.INT8
      ? Number
      : pg.types.getTypeParser(id, format ?? "text")) as typeof pg.types.getTypeParser,
};

export function connectionConfig(url: string): pg.ClientConfig {
  return {
    connectionString: url,
    application_name: "holdfast",
    keepAlive: true,
    connectionTimeoutMillis: connectMsMax,
    types,
  };
}

/** What a URL leaves out, the driver takes from the environment and from its own defaults. */
export type PostgresAddress =
  | { readonly place: string }
  /** Why it cannot be used. It is not repeated, because it may hold a password. */
  | { readonly fault: string };

/** Host, port and database: enough to know which one is meant, and nothing secret. */
export function readPostgresAddress(url: string): PostgresAddress {
  if (!/^postgres(ql)?:/.test(url) || !URL.canParse(url)) {
    return { fault: "it is not a PostgreSQL address (postgres://user@host:5432/database)" };
  }
  // What is behind an unescaped / or # of a password would pass for a host and a database.
  const { pathname, hash } = new URL(url);
  if (hash !== "" || /@|\/./.test(pathname.slice(1))) {
    return { fault: "a special character in it is not written as %xx" };
  }
  try {
    const { host, port, database } = new pg.Client(connectionConfig(url));
    return { place: `PostgreSQL ${host}:${port}/${database}` };
  } catch (error) {
    // Certificates that the address names are read here.
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}
