export { allText } from "./all-text.ts";
export type { Cut, CutPlace, PlannedCut, RequestReport } from "./cut.ts";
export { CuttingProxy } from "./cutting-proxy.ts";
export { createSchemaDatabase, openTestStore } from "./open-test-store.ts";
export { openSharedServer } from "./shared-server.ts";
export { sharedServerUrl } from "./shared-server-url.ts";
export { SwappingPooler } from "./swapping-pooler.ts";
export {
  createTestDatabase,
  type TestConnection,
  type TestDatabase,
  templateDatabase,
  withConnection,
} from "./test-database.ts";
export { TestServer } from "./test-server.ts";
