export {
  applyPostgresSchema,
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
