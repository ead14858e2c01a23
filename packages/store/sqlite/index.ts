export { backUpSqliteStore } from "./back-up.ts";
export { type AtBoundary, type Boundary, boundaries } from "./boundary.ts";
export { openArrivingSqlite, openDepartingSqlite } from "./moving.ts";
export { openSqliteStore, type SqliteOptions } from "./open.ts";
export { printSchema } from "./schema.ts";
export type { SqliteStore } from "./sqlite-store.ts";
