import {
  type CanonicalValue,
  contentHash,
  decodeCanonical,
  encodeCanonical,
  type HostedMachines,
} from "@holdfast/core";
import type { MigrationCall, StepAnswer, StepCall } from "@holdfast/core/machine";
import { afterAll, beforeAll, expect, test } from "vitest";
import { compileScript } from "./compile/compile-script.ts";
import { hostedScript } from "./hosted-script.ts";
import { Sandbox } from "./sandbox.ts";
import { validate } from "./validate/validate.ts";

const text = `
  import { machine, schema, workflow } from "@holdfast/sdk";
  const told = schema.record({ say: schema.text(), value: schema.option(schema.int()) });
  const deepest = schema.record({ $bytes: schema.bytes(), __proto: schema.list(schema.int()) });
  const kept = schema.record({
    int: schema.int(),
    bytes: schema.bytes(),
    map: schema.map(schema.int(), schema.text()),
    $int: schema.text(),
    deep: schema.list(schema.record({ of: schema.map(schema.int(), deepest) })),
    said: schema.text(),
  });
  export default workflow({
    name: "w",
    topics: { told: { schema: told } },
    producers: { poll: { manual: true, publishes: ["told"], handler: async () => {} } },
    machines: {
      m: machine({
        state: kept,
        event: schema.ref("told", told),
        effects: [],
        subscribe: ["told"],
        migrate(state, from) {
          const { told, size, bytes } = state;
          if (told === "throw") throw new Error("no");
          if (told === "loop") for (;;) {}
          if (told === "hang") "a".repeat(400000).indexOf("a".repeat(200000) + "b");
          if (told === "none") return undefined;
          const said = {
            fine: () => "fine " + bytes[1] + " " + from.manifestHash,
            clock: () => String(Date.now()) + " " + Math.random(),
            powers: () => arguments.length + typeof fetch + typeof setTimeout + typeof process,
          };
          return { int: size, bytes, map: new Map(), $int: "", deep: [], said: said[told]() };
        },
        step(before, { say, value }, ctx) {
          const state = before ?? {
            int: 2n ** 60n,
            bytes: new Uint8Array([0, 127, 255]),
            map: new Map([[7, "seven"]]),
            $int: "not a number",
            deep: [{ of: new Map() }, { of: new Map([[1, { $bytes: new Uint8Array([9]),
              __proto: [1, -(2n ** 60n)] }]]) }],
            said: "",
          };
          if (say === "loop") for (;;) {}
          if (say === "hang") "a".repeat(400000).indexOf("a".repeat(200000) + "b");
          if (say === "power") ctx.publish("told", {});
          const seen = {
            clock: () => String(Date.now()) + " " + Math.random(),
            all: () => Object.keys(ctx).join() + typeof fetch + typeof setTimeout + typeof process,
            same: () => state.bytes[2] + state.map.get(7) + state.$int + (state.int === 2n ** 60n),
            deep: () => {
              const { $bytes, __proto } = state.deep[1].of.get(1);
              return [state.deep[0].of.size, $bytes instanceof Uint8Array, $bytes, __proto].join();
            },
          };
          return { state: { ...state, said: say in seen ? seen[say]() : say } };
        },
      }),
      wide: machine({
        state: schema.record({ one: schema.bytes(), two: schema.bytes(), said: schema.text() }),
        event: schema.ref("told", told),
        effects: [],
        subscribe: [],
        step({ one, two }) {
          const said = [one, two].map((each) =>
            [each instanceof Uint8Array, each.byteOffset, each.buffer.byteLength, each[1]].join());
          new Uint8Array(one.buffer).fill(5);
          return { state: { one, two, said: said.join(" ") } };
        },
      }),
    },
  });`;

let sandbox: Sandbox;
let runChains: HostedMachines["run"];
let migrate: HostedMachines["migrate"];
let run: (calls: readonly StepCall[]) => Promise<readonly StepAnswer[]>;

beforeAll(async () => {
  sandbox = await Sandbox.open({ threadsMax: 1, limits: { fuelMax: 100, runningMsMax: 1_500 } });
  const source = { entry: "w.ts", files: { "w.ts": text } };
  const known = { effects: [] };
  const { manifest, problems } = await validate(source, (each) => sandbox.inspect(each), known);
  const compiled = await compileScript(source);
  if (manifest === null || !compiled.ok) throw new Error(JSON.stringify(problems));
  const loaded = await sandbox.load(compiled.script.code);
  if (!loaded.ok) throw new Error(loaded.failure.message);
  const parts = { compiled: compiled.script, manifest, connections: {} };
  const { machines } = hostedScript(sandbox, loaded.script, parts);
  if (machines === undefined) throw new Error("it has machines");
  runChains = machines.run;
  migrate = machines.migrate;
  run = async (calls) => {
    const answers = await machines.run(calls.map((each) => [each]));
    return answers.map(([first]) => first?.answer ?? { kind: "killed", reason: "no answer" });
  };
});
afterAll(() => sandbox.close());

function call(say: string, more: Partial<StepCall> = {}): StepCall {
  const value = encodeCanonical({ say, value: null });
  return {
    version: 1,
    manifestHash: contentHash("w"),
    machine: "w/m@1",
    state: null,
    event: { schema: "told", value, key: null },
    ctx: null,
    nowNs: 5_000_000_000n,
    entropy: new Uint8Array(64),
    ...more,
  };
}

function stateOf(answer: StepAnswer | undefined): Readonly<Record<string, CanonicalValue>> {
  if (answer?.kind !== "output" || answer.output.state === null) {
    throw new Error(JSON.stringify(answer));
  }
  return decodeCanonical(answer.output.state) as Readonly<Record<string, CanonicalValue>>;
}

test("[M.K7.2-1] exact values cross into a step and out of it, whatever their names", async () => {
  const [first] = await run([call("first")]);
  const before = stateOf(first);
  expect(before).toMatchObject({ int: 2n ** 60n, $int: "not a number" });
  const [again] = await run([call("same", { state: encodeCanonical(before) })]);
  expect(stateOf(again)["said"]).toBe("255sevennot a numbertrue");
  const [deep] = await run([call("deep", { state: encodeCanonical(before) })]);
  expect(stateOf(deep)["said"]).toBe(`0,true,9,1,${-(2n ** 60n)}`);
});

test("[M.K7.2-1] bytes come into a step each in memory of its own", async () => {
  const bytes = Uint8Array.from({ length: 300 }, (_, at) => at % 256);
  const state = encodeCanonical({ one: bytes, two: bytes, said: "" });
  const wide = call("x", { machine: "w/wide@1", state });
  const [first, again] = await run([wide, wide]);
  const said = "true,0,300,1 true,0,300,1";
  expect(stateOf(first)).toEqual({ one: bytes.slice().fill(5), two: bytes, said });
  expect(again).toEqual(first);
});

test("[M.C-14] a step knows no time and no chance but its event's", async () => {
  const other = { entropy: new Uint8Array(64).fill(1) };
  const answers = await run([call("clock"), call("clock"), call("clock", other)]);
  const [one, two, three] = answers.map((each) => String(stateOf(each)["said"]));
  expect(one).toMatch(/^5000 0\.\d+$/);
  expect(two).toBe(one);
  expect(three).not.toBe(one);
});

test("[M.E-1] a step has no powers: nothing to call, and nothing around it", async () => {
  const [power, all] = await run([call("power"), call("all")]);
  expect(power).toMatchObject({ kind: "fault", code: "step.threw" });
  expect(stateOf(all)["said"]).toBe("keyundefinedundefinedundefined");
});

test("[M.F-7] a step that loops is a fault, one that hangs is killed, others go on", async () => {
  const answers = await run([call("loop"), call("hang"), call("fine")]);
  expect(answers[0]).toMatchObject({ kind: "fault", code: "step.fuel" });
  expect(answers[1]).toMatchObject({ kind: "killed" });
  expect(stateOf(answers[2])["said"]).toBe("fine");
});

test("[M.K7.4-1] steps of a chain are those made one by one, up to a fault", async () => {
  const [chain = [], single = []] = await runChains([
    [call("one"), call("same"), call("two"), call("loop"), call("three")],
    [call("alone")],
  ]);
  expect(chain.map(({ answer }) => answer.kind)).toEqual(["output", "output", "output", "fault"]);
  let state: Uint8Array | null = null;
  for (const [at, say] of ["one", "same", "two"].entries()) {
    const [alone] = await run([call(say, { state })]);
    expect(chain[at]?.answer).toEqual(alone);
    state = chain[at]?.left ?? null;
    expect(state).toEqual(encodeCanonical(stateOf(alone)));
  }
  expect(single).toMatchObject([{ answer: { kind: "output" }, left: null }]);
});

function migration(told: string, more: Partial<MigrationCall> = {}): MigrationCall {
  return {
    machine: "w/m@1",
    state: { told, size: 2n ** 60n, bytes: new Uint8Array([1, 255]) },
    from: { key: null, machineHash: "of before", manifestHash: "of before" },
    nowNs: 5_000_000_000n,
    seed: new Uint8Array(32),
    ...more,
  };
}

test("[M.A-5] a state of before crosses into migrate and out, with a step's powers", async () => {
  const seed = new Uint8Array(32).fill(7);
  const answers = await migrate([
    migration("fine"),
    migration("clock"),
    migration("clock"),
    migration("clock", { seed }),
    migration("powers"),
  ]);
  expect(stateOf(answers[0])).toMatchObject({ int: 2n ** 60n, said: "fine 255 of before" });
  const [one, two, three] = answers.slice(1, 4).map((each) => String(stateOf(each)["said"]));
  expect(one).toMatch(/^5000 0\.\d+$/);
  expect(two).toBe(one);
  expect(three).not.toBe(one);
  expect(stateOf(answers[4])["said"]).toBe("2undefinedundefinedundefined");
});

test("[M.F-7] a migration that throws, loops or hangs is told from the others", async () => {
  const answers = await migrate(
    ["throw", "loop", "hang", "none", "fine"].map((one) => migration(one)),
  );
  expect(answers.slice(0, 4)).toMatchObject([
    { kind: "fault", code: "step.threw" },
    { kind: "fault", code: "step.fuel" },
    { kind: "killed" },
    { kind: "fault", code: "step.output_unreadable" },
  ]);
  expect(stateOf(answers[4])["said"]).toBe("fine 255 of before");
});
