import { describe, expect, test } from "vitest";
import { contentHash, type Schema } from "../canonical/index.ts";
import { compileSet } from "./compile-set.ts";
import type { MachineDeclaration, SetDeclaration } from "./declaration.ts";
import { receiptSchemaName } from "./host-schemas.ts";
import { setOf } from "./testing/machine-world.ts";
import {
  effectOf,
  int,
  machineOf,
  nat,
  option,
  orderSet,
  receiptArm,
  record,
  ref,
  text,
  variant,
} from "./testing/sample-set.ts";

const empty: SetDeclaration = {
  workflow: "shop",
  manifestHash: contentHash("manifest"),
  moduleVersion: "1",
  topics: [],
  machines: [],
  effects: [],
};

function problemsOf(given: Partial<SetDeclaration>): readonly string[] {
  const compiled = compileSet({ ...empty, ...given });
  return compiled.ok ? [] : compiled.problems.map(({ code }) => code);
}

const withMachine = (given: Partial<MachineDeclaration>) => problemsOf(orderSet(given));
const withTopic = (schema: Schema | null, given: Partial<MachineDeclaration>) => {
  const machine = machineOf({ event: ref("t"), subscribe: [{ topic: "t", key: null }], ...given });
  return problemsOf({ topics: [{ name: "t", schema }], machines: [machine] });
};

describe("what is refused before an event comes", () => {
  test("[M.E-2] [M.E-5] [M.A-6] effects that are listed twice or that nobody offers", () => {
    expect(withMachine({})).toEqual([]);
    expect(withMachine({ effects: [] })).toEqual([]);
    expect(withMachine({ effects: ["http/book@1", "http/book@1"] })).toEqual(["effect_twice"]);
    expect(withMachine({ effects: ["http/pay@1"] })).toEqual(["effect_unknown"]);
    expect(withMachine({ effects: ["sys/governance.apply@1"] })).toEqual(["effect_unknown"]);
  });

  test("[M.E-3] bare names of effects, and definitions in the host's namespace", () => {
    expect(withMachine({ effects: ["timer.set"] })).toEqual(["effect_unknown"]);
    expect(problemsOf({ effects: [effectOf("book")] })).toEqual(["name_malformed"]);
    expect(problemsOf({ effects: [effectOf("http/book@0")] })).toEqual(["name_malformed"]);
    expect(problemsOf({ effects: [effectOf("sys/book@1")] })).toEqual(["name_reserved"]);
    const twice = [effectOf("http/book@1"), effectOf("http/book@1")];
    expect(problemsOf({ effects: twice })).toEqual(["name_twice"]);
  });

  test("[M.W-1] schemas that do not compile, names that are none, machines named twice", () => {
    expect(withMachine({ state: ref("nobody") })).toContain("schema_invalid");
    expect(withMachine({ key: ref("nobody") })).toContain("schema_invalid");
    expect(withMachine({ name: "7" })).toContain("name_malformed");
    expect(problemsOf({ topics: [{ name: "7", schema: record({}) }] })).toEqual(["name_malformed"]);
    const same = machineOf({ event: record({}) });
    expect(problemsOf({ machines: [same, same] })).toEqual(["name_twice"]);
    expect(problemsOf({ machines: [same, { ...same, version: 2 }] })).toEqual([]);
  });

  test("[M.W-2] event schemas that are no ref, record or variant of refs, each schema once", () => {
    expect(withMachine({ event: text, subscribe: [] })).toEqual(["event_schema_form"]);
    const inline = variant({ A: record({}) });
    expect(withMachine({ event: inline, subscribe: [] })).toEqual(["event_schema_form"]);
    const ambiguous = variant({ A: ref("order.placed"), B: ref("order.placed") });
    expect(withMachine({ event: ambiguous, subscribe: [] })).toEqual(["event_schema_form"]);
  });

  test("[M.C-3] [M.T-7] json anywhere, since it may hold a fraction", () => {
    const json: Schema = { type: "json" };
    expect(withMachine({ state: record({ any: json }) })).toEqual(["schema_has_json"]);
    expect(withMachine({ annotations: json })).toEqual(["schema_has_json"]);
    expect(problemsOf({ effects: [effectOf("http/a@1", { params: json })] })).toEqual([
      "schema_has_json",
    ]);
    expect(withTopic(record({ any: json }), {})).toContain("topic_without_schema");
    const plain = machineOf({ event: record({}), subscribe: [{ topic: "t", key: null }] });
    const topics = [{ name: "t", schema: null }];
    expect(problemsOf({ topics, machines: [plain] })).toEqual(["topic_without_schema"]);
  });

  test("[M.T-2] subscriptions to topics that are not there or do not fit", () => {
    const subscribe = [{ topic: "order.gone", key: "id" }];
    expect(withMachine({ subscribe })).toEqual(["topic_unknown"]);
    const unfit = [{ topic: "order.booked", key: "id" }];
    expect(withMachine({ subscribe: unfit })).toEqual(["subscription_unfit"]);
    expect(withTopic(record({}), { event: record({}) })).toEqual([]);
    expect(withTopic(record({}), { event: ref(receiptSchemaName) })).toEqual([
      "subscription_unfit",
    ]);
  });

  test("[M.T-3] a family and one of its arms for the same machine: it would come twice", () => {
    const topics = [
      { name: "paid", schema: record({ id: text }) },
      { name: "any", schema: variant({ Paid: ref("paid") }) },
    ];
    const event = ref("any");
    const family = { topic: "any", key: null };
    const arm = { topic: "paid", key: null };
    const one = machineOf({ event, subscribe: [family] });
    expect(problemsOf({ topics, machines: [one] })).toEqual([]);
    const both = machineOf({ event, subscribe: [family, arm] });
    expect(problemsOf({ topics, machines: [both] })).toEqual(["subscription_twice"]);
  });

  test("[M.T-4] keys: needed with a key schema, refused without, and of exactly its type", () => {
    const keyed = (key: string | null) =>
      withMachine({ subscribe: [{ topic: "order.placed", key }] });
    expect(keyed("id")).toEqual([]);
    expect(keyed(null)).toEqual(["key_missing"]);
    expect(keyed("gone")).toEqual(["key_type"]);
    expect(keyed("id.x")).toEqual(["key_type"]);
    expect(keyed("id.")).toEqual(["key_type"]);
    const unkeyed = withMachine({ key: null });
    expect(unkeyed).toEqual(["key_unexpected"]);
    const other = { key: nat };
    expect(withMachine(other)).toEqual(["key_type"]);
    const optional = record({ id: option(text) });
    expect(withTopic(optional, { key: text, subscribe: [{ topic: "t", key: "id" }] })).toEqual([
      "key_type",
    ]);
  });

  test("[M.T-4] the check follows $value into every arm that others may send", () => {
    const family = (second: Schema) => ({
      topics: [
        { name: "a", schema: record({ id: text }) },
        { name: "b", schema: record({ id: second }) },
        { name: "any", schema: variant({ A: ref("a"), B: ref("b"), ...receiptArm }) },
      ],
      machines: [
        machineOf({
          event: ref("any"),
          key: text,
          subscribe: [{ topic: "any", key: "$value.id" }],
        }),
      ],
    });
    expect(problemsOf(family(text))).toEqual([]);
    expect(problemsOf(family(int))).toEqual(["key_type"]);
  });

  test("[M.V-6] an error schema that cannot say code and message", () => {
    const error = record({ code: text, message: text, retryAfter: option(nat) });
    expect(problemsOf({ effects: [effectOf("http/a@1", { error })] })).toEqual([]);
    const bad = record({ reason: text });
    expect(problemsOf({ effects: [effectOf("http/a@1", { error: bad })] })).toEqual([
      "schema_invalid",
    ]);
  });

  test("[M.C-10] an effect is known by what it declares, not by the code that does it", () => {
    const hashOf = (effect = effectOf("http/a@1")) =>
      setOf({ effects: [effect] }).effects.get("http/a@1")?.hash;
    const newer = { module: "http", moduleHash: contentHash("newer"), entrypoint: "book" };
    expect(hashOf(effectOf("http/a@1", { executor: newer }))).toBe(hashOf());
    expect(hashOf(effectOf("http/a@1", { receipt: record({}) }))).not.toBe(hashOf());
  });
});
