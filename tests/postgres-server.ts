import { openSharedServer } from "@holdfast/store/testing/postgres";
import type { TestProject } from "vitest/node";

/** Vitest calls this once per run and what it answers at the end. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const { door, close } = await openSharedServer();
  project.provide("postgresDoor", door);
  return close;
}
