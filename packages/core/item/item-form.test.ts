import { expect, test } from "vitest";
import { fitsForms } from "./item-form.ts";

type Case = readonly [itemId: string, forms: readonly string[] | null, fits: boolean];
const cases: readonly Case[] = [
  ["contract:1", ["item contract:{*.id}"], true],
  ["contract:", ["item contract:{*.id}"], true],
  ["kontrakt:1", ["item contract:{*.id}"], false],
  ["kontrakt:1", ["item contract:{*.id}", "item kontrakt:{*.no}"], true],
  ["c:1:2030", ["item c:{*.id}:{*.year}"], true],
  ["c:1", ["item c:{*.id}:{*.year}"], false],
  ["all", ["item all"], true],
  ["all2", ["item all"], false],
  ["aXb", ["item a{*}b"], true],
  ["ab", ["item ab{*}b"], false],
  ["anything", null, true],
  ["anything", ["subkey a"], false],
];

test.each(cases)("[L12, S47] whether %s can have been made by %j: %s", (itemId, forms, fits) => {
  expect(fitsForms(itemId, forms)).toBe(fits);
});
