import { labelOf } from "@holdfast/connector-kit";
import { expect, test } from "vitest";
import { failure } from "../testing/failure.ts";
import { MailServer, type Trouble } from "../testing/mail-server.ts";
import { mail } from "./connector.ts";

const password = "a password nobody repeats";
const { signal } = new AbortController();

function accountOf(port: number, more: object = {}) {
  return {
    connector: "mail",
    host: "127.0.0.1",
    port,
    security: "none",
    from: "host@example.com",
    to: ["desk@example.com", "other@example.com"],
    allowPrivateAddresses: true,
    ...more,
  };
}

function admit(port: number, more: object = {}, params: object = { subject: "Hi", text: "Hello" }) {
  const admitted = mail.connect("letters", accountOf(port, more)).operations["send"]?.admit(params);
  if (admitted === undefined) throw new Error("no send");
  return admitted;
}

const sending = { key: "k-1", timeoutMs: 5_000, signal, go: () => {} };

test("[R131] a mail is plain text to those the account names, with the key in its id", async () => {
  const server = await MailServer.open();
  const text = "<b>Pay</b> now\n.\nGrüße";
  const params = { subject: "Größe", text };
  const admitted = admit(server.port, { user: "me", password }, params);
  expect(await admitted.execute(sending)).toEqual({
    accepted: ["desk@example.com", "other@example.com"],
    rejected: [],
  });
  const [sent = ""] = server.mails;
  expect(sent).toContain("Message-ID: <k-1@holdfast.invalid>");
  expect(sent).toContain("Content-Type: text/plain; charset=utf-8");
  expect(sent).not.toContain("text/html");
  expect(sent).toContain("Subject: =?UTF-8?");
  expect(server.lines.filter((line) => line.startsWith("RCPT"))).toHaveLength(2);
  const login = Buffer.from(`\0me\0${password}`).toString("base64");
  expect(server.lines).toContain(`AUTH PLAIN ${login}`);
});

const said: readonly (readonly [Trouble, string])[] = [
  [{ at: "auth", does: 535 }, "auth, committed no"],
  [{ at: "auth", does: 454 }, "transient, committed no"],
  [{ at: "data", does: 554 }, "logic, committed no"],
  [{ at: "end", does: 451 }, "transient, committed no"],
  [{ at: "end", does: 552 }, "logic, committed no"],
  [{ at: "greeting", does: "drop" }, "Error"],
  [{ at: "data", does: "drop" }, "Error"],
  [{ at: "end", does: "drop" }, "Error"],
  [{ at: "end", does: "hang" }, "Error"],
];

test("[R114] a mail counts as not sent only where the server itself said so", async () => {
  const server = await MailServer.open();
  const admitted = admit(server.port, { user: "me", password });
  for (const [trouble, known] of said) {
    server.troubles.push(trouble);
    const timeoutMs = trouble.does === "hang" ? 100 : 5_000;
    expect(await failure(admitted.execute({ ...sending, timeoutMs })), trouble.at).toBe(known);
  }
  expect(await failure(admit(1).execute(sending))).toBe("transient, committed no");
  server.troubles.push({ at: "rcpt", does: 550 });
  expect(await admitted.execute(sending)).toMatchObject({ rejected: ["desk@example.com"] });
});

test("[R65] nothing can be relied on when an answer was lost, and nobody can be asked", () => {
  expect(labelOf(admit(1).guarantee)).toBe("at most once, asks you");
});

test("[R129] the password is in no error, and goes to nobody in the clear", async () => {
  const server = await MailServer.open();
  server.troubles.push({ at: "auth", does: 535 });
  const error: unknown = await admit(server.port, { user: "me", password })
    .execute(sending)
    .catch((reason: unknown) => reason);
  expect(String(error)).not.toContain(password);
  expect(String(error)).not.toContain(Buffer.from(`\0me\0${password}`).toString("base64"));
  server.lines.length = 0;
  const starttls = { security: "starttls", user: "me", password };
  expect(await failure(admit(server.port, starttls).execute(sending))).toBe(
    "transient, committed no",
  );
  expect(server.lines.filter((line) => /AUTH|MAIL/.test(line))).toEqual([]);
  expect(() => admit(25, { allowPrivateAddresses: false })).toThrow("in the clear");
  const elsewhere = { security: "starttls", allowPrivateAddresses: false };
  expect(await failure(admit(server.port, elsewhere).execute(sending))).toBe(
    "precondition, committed no",
  );
});

test("what could be another header, person or markup is refused before anything is sent", () => {
  for (const params of [
    { subject: "Hi\r\nBcc: x@example.com", text: "t" },
    { subject: "Hi", text: "" },
    { subject: "Hi", text: "t", to: "x@example.com" },
    { subject: "Hi", text: "t", html: "<b>t</b>" },
  ]) {
    expect(() => admit(1, {}, params)).toThrow();
  }
});

test("not a byte is sent when the last look says no", async () => {
  const server = await MailServer.open();
  const go = () => {
    throw new Error("too late");
  };
  await expect(admit(server.port).execute({ ...sending, go })).rejects.toThrow("too late");
  expect(server.lines).toEqual([]);
});
