import type { roles } from "@holdfast/protocol";
import { describe, expect, test } from "vitest";
import { Access } from "./access.ts";
import { MemoryBook } from "./access-book.ts";
import { entryOf } from "./change-tokens.ts";
import { nameOfUser, whyNotName } from "./token-name.ts";

const hourMs = 3_600_000;

function newAccess(given: string | null = null) {
  const time = { now: 1_000_000 };
  const entry = { name: "root", role: "admin", expiresInMs: null, by: "env", now: 0 } as const;
  const access = new Access({
    book: new MemoryBook(),
    given: given === null ? null : entryOf(entry, given),
    now: () => time.now,
  });
  const make = (name: string, role: (typeof roles)[number], expiresInMs: number | null = null) => {
    const { token, entry: made } = access.create({ name, role, expiresInMs, by: "root" });
    return { token, tokenHash: made.hash };
  };
  return { access, time, make };
}

describe("a token", () => {
  test("is known by its name and role, and kept as a hash only", () => {
    const { access, make } = newAccess();
    const { token } = make("anna", "operator");
    expect(access.findToken(token)).toMatchObject({ name: "anna", role: "operator", by: "token" });
    expect(JSON.stringify(access.tokens())).not.toContain(token);
    expect(access.findToken(`${token}x`)).toBe("unknown");
    expect(access.findToken("")).toBe("unknown");
  });

  test("is over at its expiry, to the millisecond", () => {
    const { access, make, time } = newAccess();
    const { token } = make("anna", "viewer", 10);
    time.now += 9;
    expect(access.findToken(token)).toMatchObject({ name: "anna", until: time.now + 1 });
    time.now += 1;
    expect(access.findToken(token)).toBe("expired");
  });

  test("that is revoked is unknown; its name is free again", () => {
    const { access, make } = newAccess();
    const first = make("anna", "viewer");
    access.revoke("anna");
    const second = make("anna", "viewer");
    expect(access.findToken(first.token)).toBe("unknown");
    expect(access.findToken(second.token)).toMatchObject({ name: "anna" });
  });

  test.each([
    { what: "a name that is taken", name: "anna" },
    { what: "the host's own name", name: "host" },
    { what: "that of a host", name: "host:h-1" },
    { what: "that of a webhook", name: "webhook orders" },
    { what: "capital letters, which look like another", name: "Anna" },
    { what: "no name", name: "" },
    { what: "control characters", name: "an\nna" },
    { what: "letters that look like others", name: "аnna" },
    { what: "the name of the token in the environment", name: "root" },
  ])("is not made with $what", ({ name }) => {
    const { access, make } = newAccess("a-token-from-outside");
    make("anna", "viewer");
    expect(() => make(name, "admin")).toThrow(/TOKEN_REFUSED/);
    expect(access.tokens().map((each) => each.name)).toEqual(["root", "anna"]);
  });

  test("of the last admin is not revoked, unless the environment holds another", () => {
    const { access, make, time } = newAccess();
    make("ada", "admin");
    make("eve", "admin", 10);
    time.now += 10;
    expect(() => access.revoke("ada")).toThrow(/ada is the last admin/);
    make("bob", "admin");
    access.revoke("ada");
    const outside = newAccess("a-token-from-outside");
    outside.make("ada", "admin");
    outside.access.revoke("ada");
    expect(() => outside.access.revoke("root")).toThrow(/started with/);
    expect(() => outside.access.revoke("nobody-i-know")).toThrow(/There is no token/);
  });

  test("of the first start has a name that can be one, whoever the user is", () => {
    expect(whyNotName(nameOfUser())).toBeNull();
  });
});

describe("a visit", () => {
  function enter(access: Access, tokenHash: string) {
    const { code } = access.newLoginCode({ tokenHash });
    const entered = access.login(code);
    if (entered === null) throw new Error("not let in");
    return { ...entered, code };
  }

  test("begins with a code, which works once", () => {
    const { access, make } = newAccess();
    const { tokenHash } = make("anna", "operator");
    const { cookie, code } = enter(access, tokenHash);
    expect(access.findVisit(cookie)).toMatchObject({ name: "anna", role: "operator", by: "visit" });
    expect(access.login(code)).toBeNull();
    expect(access.login("")).toBeNull();
  });

  test("does not begin with a code whose time is over", () => {
    const { access, make, time } = newAccess();
    const { code, expiresAt } = access.newLoginCode(make("anna", "viewer"));
    time.now = expiresAt;
    expect(access.login(code)).toBeNull();
  });

  test("does not begin with a code whose token was revoked or has expired meanwhile", () => {
    const { access, make, time } = newAccess();
    const revoked = access.newLoginCode(make("anna", "viewer"));
    const expired = access.newLoginCode(make("eve", "viewer", 10));
    access.revoke("anna");
    time.now += 10;
    expect(access.login(revoked.code)).toBeNull();
    expect(access.login(expired.code)).toBeNull();
  });

  test.each([
    { how: "logging out", end: (access: Access, cookie: string) => access.logout(cookie) },
    { how: "revoking its token", end: (access: Access) => void access.revoke("anna") },
  ])("ends with $how", ({ end }) => {
    const { access, make } = newAccess();
    const { cookie } = enter(access, make("anna", "viewer").tokenHash);
    end(access, cookie);
    expect(access.findVisit(cookie)).toBe("unknown");
  });

  test("ends with its own time, and no later than its token", () => {
    const { access, make, time } = newAccess();
    const long = enter(access, make("anna", "viewer").tokenHash);
    const short = enter(access, make("eve", "viewer", hourMs).tokenHash);
    expect(short.asker.until).toBe(time.now + hourMs);
    time.now += hourMs;
    expect(access.findVisit(short.cookie)).toBe("expired");
    expect(access.findVisit(long.cookie)).toMatchObject({ name: "anna" });
    time.now += 11 * hourMs;
    expect(access.findVisit(long.cookie)).toBe("expired");
  });

  test("gives way when one token has too many, and to nobody else's", () => {
    const { access, make } = newAccess();
    const other = enter(access, make("eve", "viewer").tokenHash);
    const { tokenHash } = make("anna", "viewer");
    const all = Array.from({ length: 21 }, () => enter(access, tokenHash).cookie);
    expect(all.map((cookie) => typeof access.findVisit(cookie))).toEqual([
      "string",
      ...Array.from({ length: 20 }, () => "object"),
    ]);
    expect(access.findVisit(other.cookie)).toMatchObject({ name: "eve" });
  });

  test("codes that nobody uses do not pile up", () => {
    const { access, make } = newAccess();
    const of = make("anna", "viewer");
    const codes = Array.from({ length: 101 }, () => access.newLoginCode(of).code);
    expect(access.login(codes[0] ?? "")).toBeNull();
    expect(access.login(codes[1] ?? "")).not.toBeNull();
  });
});
