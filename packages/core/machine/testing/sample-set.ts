/** Small declarations for the kernel's tests. */
import { contentHash, type Schema } from "../../canonical/index.ts";
import type { MachineDeclaration, SetDeclaration } from "../declaration.ts";
import type { EffectDeclaration } from "../effect.ts";
import { frameSchemaName, receiptSchemaName, rejectedSchemaName } from "../host-schemas.ts";

export const text: Schema = { type: "text" };
export const nat: Schema = { type: "nat" };
export const int: Schema = { type: "int" };
export const ref = (name: string): Schema => ({ type: "ref", name });
const list = (item: Schema): Schema => ({ type: "list", item });
export const option = (inner: Schema): Schema => ({ type: "option", inner });
export const record = (fields: { [name: string]: Schema }): Schema => ({ type: "record", fields });
export const variant = (arms: { [tag: string]: Schema }): Schema => ({ type: "variant", arms });

export const receiptArm = { Receipt: ref(receiptSchemaName) };
const rejectedArm = { Rejected: ref(rejectedSchemaName) };
const frameArm = { Frame: ref(frameSchemaName) };

export function effectOf(
  name: string,
  given: Partial<EffectDeclaration> & { readonly moduleName?: string } = {},
): EffectDeclaration {
  const { moduleName = "http", ...rest } = given;
  return {
    name,
    kind: "mutation",
    params: record({ id: text }),
    receipt: record({ ref: text }),
    error: null,
    executor: { module: moduleName, moduleHash: contentHash(moduleName), entrypoint: "book" },
    ...rest,
  };
}

export function machineOf(given: Partial<MachineDeclaration>): MachineDeclaration {
  return {
    name: "order",
    state: record({ log: list(text) }),
    event: ref("order.placed"),
    key: null,
    context: false,
    annotations: null,
    version: 1,
    effects: [],
    subscribe: [],
    ...given,
  };
}

/**
 * One machine `order` with a cell per order, which takes `order.placed` and everything the kernel
 * brings, and may ask for `http/book@1` and timers. Its state is a list of what it saw.
 */
export function orderSet(given: Partial<MachineDeclaration> = {}): Partial<SetDeclaration> {
  return {
    topics: [
      { name: "order.placed", schema: record({ id: text, say: text }) },
      { name: "order.booked", schema: record({ id: text }) },
    ],
    machines: [
      machineOf({
        event: variant({
          Placed: ref("order.placed"),
          ...receiptArm,
          ...rejectedArm,
          ...frameArm,
        }),
        key: text,
        effects: ["http/book@1", "http/look@1", "sys/timer.set@1"],
        subscribe: [{ topic: "order.placed", key: "id" }],
        ...given,
      }),
    ],
    effects: [effectOf("http/book@1"), effectOf("http/look@1", { kind: "read" })],
  };
}

/** What a step of `order` sees. */
export type OrderState = { readonly log: readonly string[] } | null;
export type OrderEvent = {
  readonly $tag: "Placed" | "Receipt" | "Rejected" | "Frame";
  readonly $value: {
    readonly id: string;
    readonly say: string;
    readonly status: string;
    readonly issuer_ref: string | null;
    readonly error_code: string;
    readonly seq: number;
  };
};
