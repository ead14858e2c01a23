import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { createToken, revokeToken } from "./change-tokens.ts";
import { FileBook } from "./file-book.ts";
import { forgetOwnToken, makeFirstToken } from "./own-token.ts";
import { hashOf } from "./secret.ts";

let folder = "";
let path = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-access-"));
  path = join(folder, "tokens.json");
  const made = folder;
  onTestFinished(() => rmSync(made, { recursive: true }));
});

const anna = { name: "anna", role: "operator", expiresInMs: null, by: "test", now: 1 } as const;
const first = (of: string) => ({ folder: of, name: "ada", now: 1 });

/** A process of its own that works on the same file. */
async function inProcess(code: string): Promise<number | NodeJS.Signals | null> {
  const moduleOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));
  const program = `
    import { FileBook } from ${JSON.stringify(moduleOf("./file-book.ts"))};
    import { createToken } from ${JSON.stringify(moduleOf("./change-tokens.ts"))};
    const book = new FileBook(${JSON.stringify(path)});
    ${code}`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: "inherit",
  });
  const [exit, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  return exit ?? signal;
}

describe("the file", () => {
  test("is readable to its user only, holds no token, and is one whole JSON", () => {
    const { token, entry } = createToken(new FileBook(path), anna);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const text = readFileSync(path, "utf8");
    expect(text).not.toContain(token);
    expect(JSON.parse(text)).toEqual({ tokens: [entry], visits: [] });
  });

  test("that another process changed is seen with the next look", async () => {
    const book = new FileBook(path);
    createToken(book, anna);
    expect(book.read().tokens).toHaveLength(1);
    const given = { ...anna, name: "eve" };
    expect(await inProcess(`createToken(book, ${JSON.stringify(given)});`)).toBe(0);
    expect(book.read().tokens.map(({ name }) => name)).toEqual(["anna", "eve"]);
  });

  test("loses nothing of what several processes write at once", async () => {
    const given = (name: string) => `{ ...${JSON.stringify(anna)}, name: "${name}-" + number }`;
    const many = ["a", "b", "c"].map((name) =>
      inProcess(`for (let number = 0; number < 20; number++) createToken(book, ${given(name)});`),
    );
    expect(await Promise.all(many)).toEqual([0, 0, 0]);
    expect(new FileBook(path).read().tokens).toHaveLength(60);
  });

  test("is as it was, and free, when a process is killed while it changes it", async () => {
    const book = new FileBook(path);
    createToken(book, anna);
    const killed = inProcess("book.update(() => process.kill(process.pid, 'SIGKILL'));");
    expect(await killed).toBe("SIGKILL");
    revokeToken(book, { name: "anna", now: 2 });
    expect(book.read().tokens).toEqual([]);
  });

  test.each([
    { what: "is not JSON", mend: () => writeFileSync(path, "{"), says: /is not JSON/ },
    {
      what: "holds what no host wrote",
      mend: () => writeFileSync(path, '{"tokens":[{"name":"eve","role":"root"}],"visits":[]}'),
      says: /tokens\.0\.role/,
    },
    { what: "is gone", mend: () => rmSync(path), says: /it is not there/ },
    {
      what: "may be written by others",
      mend: () => chmodSync(path, 0o622),
      says: /other users may write/,
    },
  ])("lets nobody in when it $what", ({ mend, says }) => {
    const book = new FileBook(path);
    createToken(book, anna);
    book.read();
    mend();
    expect(() => book.read()).toThrow(says);
    expect(() => book.read()).toThrow(/TOKENS_UNUSABLE/);
  });
});

describe("the first start", () => {
  test("makes an admin whose token lies in the folder, once", () => {
    const book = new FileBook(path);
    const made = makeFirstToken(book, first(folder));
    expect(readFileSync(join(folder, "token"), "utf8").trim()).toBe(made?.token);
    expect(statSync(join(folder, "token")).mode & 0o777).toBe(0o600);
    expect(book.read().tokens).toMatchObject([{ name: "ada", role: "admin", expiresAt: null }]);
    expect(makeFirstToken(book, first(folder))).toBeNull();
  });

  test("that was killed before it wrote the token down is gone on with", () => {
    const token = "x".repeat(43);
    writeFileSync(join(folder, "token"), `${token}\n`);
    expect(makeFirstToken(new FileBook(path), first(folder))?.token).toBe(token);
  });

  test("that was killed while it wrote a token makes another", () => {
    writeFileSync(join(folder, "token"), "half of");
    const made = makeFirstToken(new FileBook(path), first(folder));
    expect(readFileSync(join(folder, "token"), "utf8").trim()).toBe(made?.token);
  });

  test("takes another name if its own is taken by one who is no admin", () => {
    const book = new FileBook(path);
    createToken(book, { ...anna, name: "ada" });
    expect(makeFirstToken(book, first(folder))?.entry.name).toBe("admin");
  });

  test("does not bring a token back that has expired or was revoked", () => {
    const book = new FileBook(path);
    const old = makeFirstToken(book, first(folder));
    if (old === null) throw new Error("no first token");
    createToken(book, { ...anna, role: "admin", expiresInMs: 1 });
    expect(() => revokeToken(book, { name: "ada", now: 9 })).toThrow(/last admin/);
    const revoked = revokeToken(book, { name: "ada", now: 9, isLastAllowed: true });
    forgetOwnToken(folder, revoked);
    const next = makeFirstToken(book, { ...first(folder), now: 9 });
    expect(next?.token).not.toBe(old.token);
    expect(book.read().tokens.some(({ hash }) => hash === hashOf(old.token))).toBe(false);
  });
});
