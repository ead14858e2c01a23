export { readPostgresAddress } from "./postgres/address.ts";
export { findPostgresSchema } from "./postgres/find-schema.ts";
export {
  applyPostgresSchema,
  findPostgresStore,
  grantPostgresRole,
  openPostgresStore,
  type PostgresOptions,
  type PostgresStore,
  printPostgresSchema,
} from "./postgres/index.ts";
export {
  backUpSqliteStore,
  openSqliteStore,
  printSchema,
  type SqliteOptions,
  type SqliteStore,
} from "./sqlite/index.ts";
