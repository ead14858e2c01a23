import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import type { HostError } from "@holdfast/core";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { Owner } from "../testing/change-builder.ts";
import { applyPostgresSchema, openPostgresStore } from "./index.ts";
import { findFreePort } from "./testing/free-port.ts";
import { TestServer } from "./testing/index.ts";
import {
  ask,
  emptyDatabaseInTest,
  errorOf,
  openInTest,
  soon,
  urlWith,
} from "./testing/store-in-test.ts";

const password = "Tr0ub4dor&3";
/** Whoever is not the server's own user has to say a password. */
const entries = `
host all postgres 127.0.0.1/32 trust
host all all 127.0.0.1/32 scram-sha-256
`;

let server: TestServer;

beforeAll(async () => {
  server = await TestServer.start();
  writeFileSync(join(server.dataFolder, "pg_hba.conf"), entries);
  await server.restart();
  await ask(server.url(), `CREATE ROLE stranger LOGIN PASSWORD '${password}'`);
  await ask(server.url(), `CREATE ROLE crowded SUPERUSER LOGIN PASSWORD '${password}'`);
});
afterAll(() => server?.stop());

function as(user: string, url = server.url(), given = password): string {
  return urlWith(url, { user, password: given });
}

/** Everything a log or a person could get to see of it. */
function expectNoPassword(error: Error): void {
  const shown = [error.message, error.stack, inspect(error, { depth: 20 }), JSON.stringify(error)];
  for (const text of shown) {
    expect(text).not.toContain(password);
    expect(text).not.toContain(encodeURIComponent(password));
  }
}

async function expectRefused(url: string, code: HostError["code"]): Promise<HostError> {
  const error = await errorOf(() => openInTest({ url }), code);
  expect(error.retry).toBe("safe");
  expectNoPassword(error);
  return error;
}

describe("who is not let in is told so", () => {
  test("with a wrong password", async () => {
    const url = as("stranger", server.url(), `${password}!`);
    const error = await expectRefused(url, "STORE_ACCESS_DENIED");
    expect(error.message).toContain("stranger");
  });

  test("as a user whom the server does not know", async () => {
    await expectRefused(as("nobody-at-all"), "STORE_ACCESS_DENIED");
  });

  test("with the right password, but without the grants for a schema that is there", async () => {
    const { url } = await emptyDatabaseInTest(server.url());
    await applyPostgresSchema({ url });
    await expectRefused(as("stranger", url), "STORE_ACCESS_DENIED");
  });

  test("without the right to make the schema, and nothing is made", async () => {
    const { url } = await emptyDatabaseInTest(server.url());
    const error = await expectRefused(as("stranger", url), "STORE_ACCESS_DENIED");
    expect(error.message).toContain("this role may not make it");
    expect(await ask(url, "SELECT to_regnamespace('holdfast')::text")).toEqual([[null]]);
  });

  test("of a database that allows no connections", async () => {
    const { url, name } = await emptyDatabaseInTest(server.url());
    await ask(server.url(), `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
    await expectRefused(url, "STORE_ACCESS_DENIED");
  });
});

describe("what is not there is said to be missing", () => {
  test("a database", async () => {
    const url = as("crowded", urlWith(server.url(), { database: "no_such_database" }));
    const error = await expectRefused(url, "STORE_GONE");
    expect(error.message).toContain("no_such_database");
  });

  test("a server at this port", async () => {
    const port = await findFreePort();
    const url = `postgres://stranger:${encodeURIComponent(password)}@127.0.0.1:${port}/postgres`;
    const error = await expectRefused(url, "STORE_UNREACHABLE");
    expect(error.message).toContain(`127.0.0.1:${port}/postgres`);
  });

  test("a server of this name", async () => {
    const url = `postgres://stranger:${encodeURIComponent(password)}@host.invalid/postgres`;
    const error = await expectRefused(url, "STORE_UNREACHABLE");
    expect(error.message).toContain("host.invalid");
  });

  test("a database that is dropped under way", async () => {
    const { url, name } = await emptyDatabaseInTest(server.url());
    const store = await openInTest({ url, onTrouble: () => {} });
    const owner = await Owner.create(store);
    await ask(server.url(), `DROP DATABASE ${name} WITH (FORCE)`);
    for (;;) {
      const outcome = await owner.commit().catch((error: unknown) => error);
      // The connection it had may still be in use when it ends: then nobody can say.
      if (typeof outcome === "object" && outcome !== null && "kind" in outcome) {
        expect(outcome.kind).toBe("unknown");
        continue;
      }
      expect(outcome).toMatchObject({ code: "STORE_GONE", retry: "safe" });
      break;
    }
  });

  test("a schema that is dropped under way", async () => {
    const { url } = await emptyDatabaseInTest(server.url());
    const store = await openInTest({ url });
    const owner = await Owner.create(store);
    await ask(url, "DROP SCHEMA holdfast CASCADE");
    await errorOf(() => owner.commit(), "STORE_SCHEMA_DIFFERS");
    await errorOf(() => store.load("orders", []), "STORE_SCHEMA_DIFFERS");
  });
});

describe("a server without a free connection", () => {
  /** Takes every connection that the role may have. */
  async function crowd(url: string, count: number): Promise<readonly pg.Client[]> {
    const clients = await Promise.all(Array.from({ length: count }, () => connected(url)));
    onTestFinished(async () => {
      await Promise.all(clients.map((client) => client.end()));
    });
    return clients;
  }

  /** A connection that was just ended counts until its process is gone. */
  async function connected(url: string): Promise<pg.Client> {
    for (;;) {
      const client = new pg.Client({ connectionString: url });
      const isIn = await client.connect().then(
        () => true,
        (error: pg.DatabaseError) => {
          expect(error.code).toBe("53300");
          return false;
        },
      );
      if (isIn) return client;
    }
  }

  test("is busy for whoever opens a store or calls one, and serves them when it has", async () => {
    const { url } = await emptyDatabaseInTest(server.url());
    await ask(server.url(), "ALTER ROLE stranger CONNECTION LIMIT 1");
    await ask(url, "GRANT CREATE ON DATABASE postgres TO stranger");
    await ask(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} OWNER TO stranger`);
    const store = await openInTest({ url: as("stranger", url), onTrouble: () => {} });
    const owner = await Owner.create(store);
    await owner.persist();
    // A second one of the same pool is one too many: whoever waits in the pool is served.
    await Promise.all([store.census(), store.census()].map((call) => call.catch(() => {})));
    await ask(
      url,
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename='stranger'",
    );
    const [only] = await crowd(as("stranger", url), 1);
    await errorOf(() => openInTest({ url: as("stranger", url) }), "STORE_BUSY");
    for (;;) {
      const error = await errorOfAny(() => store.nextDueAt());
      if (error.code === "STORE_UNREACHABLE") continue;
      expect(error).toMatchObject({ code: "STORE_BUSY", retry: "safe" });
      break;
    }
    const refused = await errorOf(() => owner.commit(), "STORE_BUSY");
    expectNoPassword(refused);
    await only?.end();
    await untilNotBusy(() => owner.persist());
    expect((await store.load("orders", [])).head.seq).toBe(2);
  });
});

/** As a host does, to which it says that trying again is safe. */
async function untilNotBusy(call: () => Promise<unknown>): Promise<void> {
  for (;;) {
    const busy = await call().then(
      () => null,
      (error: HostError) => error,
    );
    if (busy === null) return;
    expect(busy).toMatchObject({ code: "STORE_BUSY", retry: "safe" });
  }
}

async function errorOfAny(call: () => Promise<unknown>): Promise<HostError> {
  return call().then(
    () => expect.fail("nothing was thrown"),
    (error: HostError) => error,
  );
}

test("trouble that harms nobody is told without the password", async () => {
  const { url } = await emptyDatabaseInTest(server.url());
  const told: Error[] = [];
  const crowded = as("crowded", url);
  const store = await openPostgresStore({
    url: crowded,
    newIncarnation: () => "store-1",
    onTrouble: (error) => told.push(error),
  });
  onTestFinished(() => store.close());
  await ask(url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename='crowded'");
  await soon(() => told.length).toBeGreaterThan(0);
  for (const error of told) expectNoPassword(error);
  await store.census();
});
