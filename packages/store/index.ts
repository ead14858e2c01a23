export {
  openSqliteStore,
  printSchema,
  type SqliteOptions,
  type SqliteStore,
} from "./sqlite/index.ts";
