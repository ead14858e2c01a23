import { type ErrorCode, HostError } from "@holdfast/core";
import { expect, onTestFinished } from "vitest";
import { openPostgresStore, type PostgresOptions, type PostgresStore } from "../index.ts";
import { createSchemaDatabase } from "./open-test-store.ts";
import { createTestDatabase, type TestDatabase, withConnection } from "./test-database.ts";

type OpenOptions = Partial<PostgresOptions> & Pick<PostgresOptions, "url">;

/** Runs on the database's own clock, unless the test has one; closed when the test is over. */
export async function openInTest(options: OpenOptions): Promise<PostgresStore> {
  const store = await openPostgresStore({ newIncarnation: () => "store-1", ...options });
  onTestFinished(() => store.close());
  return store;
}

/** On the shared server, with the schema; gone when the test is over. */
export async function databaseInTest(): Promise<TestDatabase> {
  const database = await createSchemaDatabase();
  onTestFinished(() => database.drop());
  return database;
}

/** Without the schema. */
export async function emptyDatabaseInTest(serverUrl: string): Promise<TestDatabase> {
  const database = await createTestDatabase(serverUrl);
  onTestFinished(() => database.drop());
  return database;
}

/** Past the store and past any proxy. */
export async function ask(url: string, sql: string): Promise<readonly unknown[][]> {
  return withConnection(url, async (client) => {
    const { rows } = await client.query({ text: sql, rowMode: "array" });
    return rows as unknown[][];
  });
}

/** The error that the call must end with; whatever else comes of it is a failure of the test. */
export async function errorOf(call: () => Promise<unknown>, code: ErrorCode): Promise<HostError> {
  const outcome = await call().then(
    () => "nothing was thrown",
    (error: unknown) => error,
  );
  expect(outcome).toBeInstanceOf(HostError);
  expect(outcome).toMatchObject({ code });
  return outcome as HostError;
}

export function urlWith(
  url: string,
  parts: { readonly user?: string; readonly password?: string; readonly database?: string },
): string {
  const changed = new URL(url);
  if (parts.user !== undefined) changed.username = parts.user;
  if (parts.password !== undefined) changed.password = parts.password;
  if (parts.database !== undefined) changed.pathname = `/${parts.database}`;
  return changed.href;
}

/** Until it has noticed that its connections are gone, and has a new one. */
export async function reconnected(store: PostgresStore): Promise<void> {
  for (;;) {
    const error = await store.census().then(
      () => null,
      (cause: unknown) => cause,
    );
    if (error === null) return;
    expect(error).toMatchObject({ code: "STORE_UNREACHABLE" });
  }
}

/** Longer than any busy machine needs for what is sure to come. */
const patienceMs = 30_000;

/** For what comes about by itself: looked at again and again, as an expectation. */
export function soon<T>(look: () => T) {
  return expect.poll(look, { timeout: patienceMs, interval: 5 });
}
