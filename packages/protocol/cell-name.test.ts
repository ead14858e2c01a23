import { encodeCanonical } from "@holdfast/core/canonical";
import { expect, test } from "vitest";
import { cellName } from "./cell-name.ts";

const digits = (key: Parameters<typeof encodeCanonical>[0]) =>
  Buffer.from(encodeCanonical(key)).toString("hex");

test.each([
  ["orders/order@1::", "orders/order@1"],
  [`orders/order@1::${digits("o-1")}`, 'orders/order@1 "o-1"'],
  [`orders/order@1::${digits("1")}`, 'orders/order@1 "1"'],
  [`orders/order@1::${digits(1)}`, "orders/order@1 1"],
  [
    `orders/order@1::${digits({ a: 2n ** 60n })}`,
    'orders/order@1 {"a":{"$int":"1152921504606846976"}}',
  ],
])("the cell %s is named as commands take it", (id, name) => {
  expect(cellName(id)).toBe(name);
});
