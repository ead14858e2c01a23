import { machineName } from "./machines.ts";

/** A cell out of its id; `keyText` undefined = its key is no text and no small number. */
export type NamedCell = {
  readonly machine: string;
  readonly keyText: string | null | undefined;
  readonly name: string;
};

/** `parcel p-1` of `orders/parcel@1::d9d9f763702d31`: lists that are kept have ids alone. */
export function cellOfId(id: string): NamedCell {
  const [machine = id, digits = ""] = id.split("::");
  const name = machineName(machine);
  if (digits === "") return { machine, keyText: null, name };
  const key = readKey(digits);
  if (key === null) return { machine, keyText: undefined, name: `${name} ${digits}` };
  return { machine, keyText: JSON.stringify(key), name: `${name} ${key}` };
}

const mark = "d9d9f7";
const smallMax = 23;

/** The two forms that keys have as good as always: text, and a number below 24. */
function readKey(digits: string): string | number | null {
  if (!digits.startsWith(mark)) return null;
  const bytes = Uint8Array.from(digits.slice(mark.length).match(/../g) ?? [], (each) =>
    Number.parseInt(each, 16),
  );
  const [first = 0xff, length = 0] = bytes;
  if (first <= smallMax) return first;
  if (first >= 0x60 && first <= 0x60 + smallMax) return textOf(bytes.subarray(1), first - 0x60);
  return first === 0x78 ? textOf(bytes.subarray(2), length) : null;
}

function textOf(bytes: Uint8Array, length: number): string | null {
  return bytes.length === length ? new TextDecoder().decode(bytes) : null;
}
