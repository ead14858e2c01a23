import { expect, test } from "vitest";
import { sqlName } from "../columns.ts";
import { wordColumns } from "../words.ts";
import { Connection } from "./connection.ts";
import { migrate } from "./migrate.ts";

/** The words a CHECK of this column lists, as the database itself has it. */
function wordsInCheck(connection: Connection, table: string, column: string): readonly string[] {
  const [sql] = connection.row("SELECT sql FROM sqlite_schema WHERE name = ?", table) ?? [];
  const check = new RegExp(`CHECK \\(\\s*(${column} = [^)]*)\\)`).exec(String(sql))?.[1];
  return [...(check ?? "").matchAll(/'([^']*)'/g)].map((match) => String(match[1]));
}

test.each(wordColumns)(
  "%s.%s takes the words of the core and no others",
  (table, column, words) => {
    const connection = new Connection(":memory:", "memory");
    migrate(connection, { newIncarnation: () => "store-1", lastIncarnation: null });
    expect(wordsInCheck(connection, table, sqlName(column)).toSorted()).toEqual(words.toSorted());
    connection.close();
  },
);
