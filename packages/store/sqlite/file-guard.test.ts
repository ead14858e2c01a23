import {
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { FileGuard } from "./file-guard.ts";

let folder: string;
let [database, log] = ["", ""];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-guard-"));
  [database, log] = [join(folder, "holdfast.db"), join(folder, "holdfast.db-wal")];
  for (const path of [database, log]) writeFileSync(path, "there");
});

afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true, force: true });
});

/** Until the next change of the folder gets another time; file systems differ in their ticks. */
function letTickPass(): void {
  const { ctimeMs } = statSync(folder);
  const probe = join(tmpdir(), `${basename(folder)}-probe`);
  for (let now = 0; now <= ctimeMs; ) {
    mkdirSync(probe);
    now = statSync(probe).ctimeMs;
    rmdirSync(probe);
  }
}

/** A guard that has seen the folder at rest, and so asks no file any more. */
function restedGuard(): FileGuard {
  const guard = new FileGuard([database, log]);
  letTickPass();
  vi.useFakeTimers({ now: statSync(folder).ctimeMs + 60_000, toFake: ["Date"] });
  expect(guard.findGone()).toBeNull();
  return guard;
}

const losses: readonly [string, () => void, () => string][] = [
  ["the log is deleted", () => rmSync(log), () => log],
  ["the database is deleted", () => rmSync(database), () => database],
  ["the log is moved away", () => renameSync(log, `${log}.old`), () => log],
  [
    "the log is replaced by another file",
    () => {
      writeFileSync(`${log}.new`, "there");
      renameSync(`${log}.new`, log);
    },
    () => log,
  ],
  ["the folder is deleted", () => rmSync(folder, { recursive: true }), () => database],
  [
    "the folder is replaced by an empty one",
    () => {
      renameSync(folder, `${folder}.old`);
      mkdirSync(folder);
      rmSync(`${folder}.old`, { recursive: true });
    },
    () => database,
  ],
  [
    "the log is deleted and the folder's time set back",
    () => {
      const { atime, mtime } = statSync(folder);
      rmSync(log);
      utimesSync(folder, atime, mtime);
    },
    () => log,
  ],
];

for (const [name, lose, path] of losses) {
  test(`sees it at once when ${name}`, () => {
    const guard = new FileGuard([database, log]);
    expect(guard.findGone()).toBeNull();
    lose();
    expect(guard.findGone()).toBe(path());
    expect(guard.findGone()).toBe(path());
  });

  test(`sees it after a long rest when ${name}`, () => {
    const guard = restedGuard();
    lose();
    expect(guard.findGone()).toBe(path());
    expect(guard.findGone()).toBe(path());
  });
}

test("goes on when other files come and go, and still sees a loss after them", () => {
  const guard = restedGuard();
  for (const name of ["note", "holdfast.db-shm"]) {
    writeFileSync(join(folder, name), "");
    expect(guard.findGone()).toBeNull();
    letTickPass();
    rmSync(join(folder, name));
    expect(guard.findGone()).toBeNull();
    letTickPass();
  }
  rmSync(log);
  expect(guard.findGone()).toBe(log);
});

test("has nothing to lose in memory", () => {
  expect(new FileGuard([]).findGone()).toBeNull();
});
