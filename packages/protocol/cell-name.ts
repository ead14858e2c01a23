import { decodeCanonical } from "@holdfast/core/canonical";
import { exactText } from "@holdfast/core/machine/tagged-json";

/** `orders/order@1 "o-1"` of `orders/order@1::d9d9f7636f2d31`: the key as `--cell` takes it. */
export function cellName(id: string): string {
  const [machine = id, digits = ""] = id.split("::");
  if (digits === "") return machine;
  const bytes = (digits.match(/../g) ?? []).map((each) => Number.parseInt(each, 16));
  return `${machine} ${exactText(decodeCanonical(Uint8Array.from(bytes)))}`;
}
