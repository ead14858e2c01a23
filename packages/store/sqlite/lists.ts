import type { ListName, ListQuery } from "@holdfast/core";
import { countSql, type ListDialect, listSql } from "../list-sql.ts";
import type { BulkQuery } from "./journal.ts";

const dialect: ListDialect = { table: (name) => name, value: () => "?" };

export function listQuery(query: ListQuery<ListName>): BulkQuery {
  return listSql(query, dialect);
}

export function countQuery(query: ListQuery<ListName>): BulkQuery {
  return countSql(query, dialect);
}
