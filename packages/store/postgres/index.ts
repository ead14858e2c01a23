export { readPostgresAddress } from "./address.ts";
export { findPostgresStore, grantPostgresRole } from "./administer.ts";
export { type Boundary, statementNames } from "./boundary.ts";
export { findPostgresSchema } from "./find-schema.ts";
export { openArrivingPostgres, openDepartingPostgres } from "./moving.ts";
export type { PostgresOptions } from "./open.ts";
export { applyPostgresSchema, openPostgresStore } from "./open.ts";
export type { PostgresStore } from "./postgres-store.ts";
export { printPostgresSchema } from "./schema.ts";
