import { HostError } from "@holdfast/core";
import { describe, expect, test } from "vitest";
import { Connection } from "./connection.ts";
import { appendCommand, readInbox } from "./inbox.ts";
import { createWorkflow, decodeEntry } from "./journal.ts";
import { migrate } from "./migrate.ts";

/** A strict table holds no text for bytes; one that was made anew by hand may. */
function openTampered(): Connection {
  const connection = new Connection(":memory:", "memory");
  migrate(connection, { newIncarnation: () => "store-1", lastIncarnation: null });
  createWorkflow(connection, "orders", 0);
  connection.db.exec(`
    DROP TABLE commands;
    CREATE TABLE commands (workflow, position, command_id, actor, kind, body, at, appended_at);
    INSERT INTO commands VALUES ('orders', 1, 'c-1', 'ada', 'pause', 'text', 0, 0);
    UPDATE workflows SET inbox_tail = 1;`);
  return connection;
}

const readings: Readonly<Record<string, () => unknown>> = {
  "a journal record": () => decodeEntry([1, "sha256:x", "text"]),
  "a journal record without bytes": () => decodeEntry([1, "sha256:x", null]),
  "a waiting command": () => readInbox(openTampered(), "orders", 10),
  "a repeated command": () => {
    const command = { commandId: "c-1", workflow: "orders", actor: "ada", kind: "pause", at: 0 };
    return appendCommand(openTampered(), { ...command, body: new Uint8Array() }, 0);
  },
};

describe("never takes something else for bytes", () => {
  test.each(Object.keys(readings))("%s", (name) => {
    expect(readings[name]).toThrow(HostError);
    expect(readings[name]).toThrow(expect.objectContaining({ code: "TABLES_DIFFER" }));
  });
});
