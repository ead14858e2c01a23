import { test } from "vitest";
import { openSqliteStore } from "../sqlite/index.ts";
import { expectAgreementWith } from "./agreement.ts";
import { expectGroupAgreementWith } from "./group-agreement.ts";
import type { OpenStore } from "./store-case.ts";

const open: OpenStore = async (options) => {
  return { store: await openSqliteStore({ memory: true, ...options }) };
};

test("memory and SQLite judge and keep the same, whatever they are asked", async () => {
  await expectAgreementWith(open, 150);
});

test("memory and SQLite judge groups of changes the same", async () => {
  await expectGroupAgreementWith(open, 100);
});
