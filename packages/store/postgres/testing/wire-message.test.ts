import { expect, test } from "vitest";
import {
  asksForEncryption,
  encodeMessage,
  encodeTexts,
  MessageReader,
  parseStartup,
  readTexts,
  readTransactionStatus,
} from "./wire-message.ts";

function untyped(code: number, body: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeInt32BE(8 + body.length);
  head.writeInt32BE(code, 4);
  return Buffer.concat([head, body]);
}

const version = 196_608;
const encryption = untyped(80_877_103, Buffer.alloc(0));
const startup = untyped(version, encodeTexts("user", "postgres", "database", "d", ""));
const query = encodeMessage("Q", encodeTexts("SELECT 1"));
const sync = encodeMessage("S", Buffer.alloc(0));
const long = encodeMessage("d", Buffer.alloc(300, 7));

test("messages are the same however the bytes are cut", () => {
  const parts = [encryption, startup, query, sync, long, query];
  const stream = Buffer.concat(parts);
  for (let size = 1; size <= stream.length; size++) {
    const reader = new MessageReader({ startsUntyped: true });
    const messages = [];
    for (let at = 0; at < stream.length; at += size) {
      messages.push(...reader.read(stream.subarray(at, at + size)));
    }
    expect(messages.map(({ type }) => type)).toEqual(["", "", "Q", "S", "d", "Q"]);
    expect(messages.map(({ bytes }) => bytes)).toEqual(parts);
  }
});

test("a message that is not whole is not one", () => {
  const reader = new MessageReader({ startsUntyped: false });
  expect(reader.read(query.subarray(0, -1))).toEqual([]);
  expect(reader.read(query.subarray(-1))).toEqual([{ type: "Q", bytes: query }]);
});

test("what a message says can be read", () => {
  expect(asksForEncryption(encryption)).toBe(true);
  expect(asksForEncryption(startup)).toBe(false);
  expect([...parseStartup(startup)]).toEqual([
    ["user", "postgres"],
    ["database", "d"],
  ]);
  const parse = encodeMessage("P", encodeTexts("name", "SELECT 2"));
  expect(readTexts({ type: "P", bytes: parse })).toEqual(["name", "SELECT 2"]);
  const ready = encodeMessage("Z", Buffer.from("T"));
  expect(readTransactionStatus({ type: "Z", bytes: ready })).toBe("T");
});
