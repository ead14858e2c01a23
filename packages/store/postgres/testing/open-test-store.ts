import type { OpenStore } from "../../testing/store-case.ts";
import { applyPostgresSchema, openPostgresStore } from "../index.ts";
import { sharedServerUrl } from "./shared-server-url.ts";
import { createTestDatabase, type TestDatabase, templateDatabase } from "./test-database.ts";

const makeSchema = (url: string) => applyPostgresSchema({ url });

/** A database with the schema and no store in it. */
export async function createSchemaDatabase(): Promise<TestDatabase> {
  const server = await sharedServerUrl();
  const { name: template } = await templateDatabase(server, makeSchema);
  return createTestDatabase(server, { template });
}

/** A store in a database of its own, for the suite. */
export const openTestStore: OpenStore = async (options) => {
  const { url, drop } = await createSchemaDatabase();
  const open = () => openPostgresStore({ url, ...options });
  return { store: await open(), reopen: open, remove: drop };
};
