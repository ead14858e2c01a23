import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { nobody } from "../../sqlite/testing/child.ts";
import { isReachable, placeBinaries } from "./server-binaries.ts";

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-binaries-"));
  chmodSync(folder, 0o755);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

function install(folder: string): string {
  mkdirSync(join(folder, "native", "bin"), { recursive: true });
  writeFileSync(join(folder, "native", "bin", "postgres"), "", { mode: 0o755 });
  return join(folder, "native");
}

test("binaries are used where they are if everybody can reach them", () => {
  const installed = install(newFolder());
  expect(isReachable(installed)).toBe(true);
  const { postgres } = placeBinaries(newFolder(), { uid: nobody, gid: nobody }, installed);
  expect(postgres).toBe(join(installed, "bin", "postgres"));
});

test("binaries behind a closed folder are copied for another user, and not for our own", () => {
  const closed = newFolder();
  const installed = install(closed);
  chmodSync(closed, 0o700);
  expect(isReachable(installed)).toBe(false);
  const folder = newFolder();
  const { postgres } = placeBinaries(folder, { uid: nobody, gid: nobody }, installed);
  expect(postgres).toBe(join(folder, "native", "bin", "postgres"));
  expect(existsSync(postgres)).toBe(true);
  expect(placeBinaries(folder, null, installed).postgres).toContain(closed);
});
