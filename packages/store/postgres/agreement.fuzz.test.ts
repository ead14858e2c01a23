import { test } from "vitest";
import { expectAgreementWith } from "../testing/agreement.ts";
import { expectGroupAgreementWith } from "../testing/group-agreement.ts";
import { openTestStore } from "./testing/open-test-store.ts";

test("memory and PostgreSQL judge and keep the same, whatever they are asked", async () => {
  await expectAgreementWith(openTestStore, 40);
});

test("memory and PostgreSQL judge groups of changes the same", async () => {
  await expectGroupAgreementWith(openTestStore, 40);
});
