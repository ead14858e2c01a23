import { createSchemaDatabase } from "@holdfast/store/testing/postgres";
import { onTestFinished } from "vitest";

/** On the server that all tests share; gone when the test is over. */
export async function databaseInTest(): Promise<string> {
  const { url, drop } = await createSchemaDatabase();
  onTestFinished(drop);
  return url;
}
