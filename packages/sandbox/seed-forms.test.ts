import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { compileScript } from "./compile/compile-script.ts";
import type { Connections, GuestCall, PhaseCall, ScriptPublication } from "./run/phase.ts";
import type { CallAnswer, RunOptions } from "./run/phase-run.ts";
import type { LoadedScript } from "./sandbox.ts";
import { sandboxInTests, verdictOf } from "./testing/script.ts";
import { type Inspect, validate } from "./validate/validate.ts";

const theSandbox = sandboxInTests();
const folder = new URL("../../examples/seed-forms/", import.meta.url);

async function loadForm(name: string): Promise<LoadedScript> {
  const compiled = await compileScript({
    entry: name,
    files: { [name]: readFileSync(new URL(name, folder), "utf8") },
  });
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems));
  const loaded = await theSandbox().load(compiled.script.code);
  if (!loaded.ok) throw new Error(loaded.failure.message);
  return loaded.script;
}

/** Operations that are not there: what they are, and what they answer. */
type Stub = { readonly kind: Connections[string][string]; readonly answer?: unknown };

type Form = {
  readonly topics: readonly string[];
  readonly stubs: Readonly<Record<string, Readonly<Record<string, Stub>>>>;
};

const read = (answer: unknown): Stub => ({ kind: "read:list", answer });
const mutation: Stub = { kind: "mutation", answer: "done" };

/** Plays one form with its stubs; events that were published can be peeked at. */
class Player {
  readonly calls: string[] = [];
  readonly publications: ScriptPublication[] = [];
  readonly #script: LoadedScript;
  readonly #form: Form;

  constructor(script: LoadedScript, form: Form) {
    this.#script = script;
    this.#form = form;
  }

  async run(phase: PhaseCall["phase"], handler: string, given: PhaseCall["given"] = {}) {
    const { topics, stubs } = this.#form;
    const connections = Object.fromEntries(
      Object.entries(stubs).map(([name, operations]) => [
        name,
        Object.fromEntries(Object.entries(operations).map(([each, { kind }]) => [each, kind])),
      ]),
    );
    const call: PhaseCall = {
      phase,
      handler,
      given,
      connections,
      subscribe: topics,
      publishes: topics,
      mutateReads: "none",
      now: 1_700_000_000_000,
      seed: "seed",
    };
    const outcome = await theSandbox().run(this.#script, call, this.#options());
    this.publications.push(...outcome.record.publications);
    return outcome;
  }

  #options(): RunOptions {
    return { perform: async (call) => this.#answer(call) };
  }

  #answer({ name, params }: GuestCall): CallAnswer {
    this.calls.push(`${name} ${params}`);
    const [connection = "", operation = ""] = name.split(".");
    const value = (given: unknown): CallAnswer => ({ kind: "value", value: JSON.stringify(given) });
    if (name === "ctx.withItem") return value({ isDone: false });
    if (name === "ctx.itemDone") return value(null);
    if (name !== "ctx.peek") return value(this.#form.stubs[connection]?.[operation]?.answer);
    const [topic, { limit }] = JSON.parse(params) as [string, { limit: number }];
    const events = this.publications.filter((each) => each.topic === topic).slice(0, limit);
    return value(
      events.map(({ messageId, payload }) => ({ messageId, payload: JSON.parse(payload) })),
    );
  }
}

async function play(name: string, form: Form): Promise<Player> {
  return new Player(await loadForm(name), form);
}

/** prepare and mutate; answers with the call that mutate ended in. */
async function mutate(player: Player, handler: string, state?: string) {
  const prepare = await player.run("prepare", handler, state === undefined ? {} : { state });
  if (prepare.result.kind !== "returned" || prepare.result.value === null) {
    throw new Error(verdictOf(prepare));
  }
  const prepared = prepare.result.value;
  const outcome = await player.run("mutate", handler, { prepared });
  return { prepared, outcome };
}

test("every form that the seed documents use is played here", () => {
  const played = [
    "bare-producer.js",
    "keep-consumer.js",
    "prepare-with-state.js",
    "subkeys.js",
    "terminal-mutation.js",
  ];
  expect(readdirSync(folder).sort()).toEqual(played);
});

test.each(readdirSync(folder))("[R145] %s has no error, and may be deployed", async (name) => {
  const files = { [name]: readFileSync(new URL(name, folder), "utf8") };
  const inspect: Inspect = (script) => theSandbox().inspect(script);
  const { manifest, problems } = await validate({ entry: name, files }, inspect);
  expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
  expect(manifest).not.toBeNull();
});

test("[R145] a bare producer publishes flat events without an input", async () => {
  const readings = [{ id: "r-1", humidity: 61, takenAt: "noon" }];
  const player = await play("bare-producer.js", {
    topics: ["reading.taken"],
    stubs: { sensors: { recent: read(readings) }, notebook: { append: mutation } },
  });
  expect(verdictOf(await player.run("producer", "readSensors"))).toBe("returned null");
  expect(player.publications).toEqual([
    {
      topic: "reading.taken",
      messageId: "r-1",
      inputId: null,
      title: null,
      payload: '{"humidity":61,"takenAt":"noon"}',
    },
  ]);
  const { outcome } = await mutate(player, "logReading");
  expect(outcome.result).toMatchObject({
    call: { connection: "notebook", params: '{"book":"cellar","line":"61 %"}' },
  });
});

test("[R1] Keep.workflow and Keep.consumer go through all three phases", async () => {
  const plant = { id: "p-1", name: "Fern", measuredOn: "Monday", liters: 2 };
  const player = await play("keep-consumer.js", {
    topics: ["plant.dry", "plant.watered"],
    stubs: {
      garden: { listPlants: read([plant]), getPlant: read(plant), openValve: mutation },
      chat: { post: mutation },
    },
  });
  await player.run("producer", "lookAround");
  const { prepared, outcome } = await mutate(player, "water");
  expect(verdictOf(outcome)).toBe("mutation openValve");
  const applied = { prepared, mutationResult: '{"status":"applied","result":{"liters":2}}' };
  expect(verdictOf(await player.run("next", "water", applied))).toBe("returned null");
  expect(player.publications.at(-1)).toMatchObject({
    topic: "plant.watered",
    messageId: "p-1:Monday",
    payload: '{"plantId":"p-1","liters":2}',
  });
  const skipped = { prepared, mutationResult: '{"status":"skipped"}' };
  expect((await player.run("next", "water", skipped)).record.publications).toEqual([]);
});

test("[R25] [R47] prepare(ctx, state) gets what next returned, and nothing at first", async () => {
  const player = await play("prepare-with-state.js", {
    topics: ["guest.arrived"],
    stubs: {
      door: { arrivals: read([{ ticket: "t-1", name: "Ada", sequence: 4 }]) },
      printer: { badge: mutation },
    },
  });
  expect(verdictOf(await player.run("producer", "readDoor"))).toBe('returned {"after":4}');
  const first = await mutate(player, "numberGuests");
  expect(first.outcome.result).toMatchObject({ call: { params: '{"number":1,"name":"Ada"}' } });
  const applied = { prepared: first.prepared, mutationResult: '{"status":"applied","result":{}}' };
  const next = await player.run("next", "numberGuests", applied);
  expect(verdictOf(next)).toBe('returned {"last":1}');
  const second = await mutate(player, "numberGuests", '{"last":1}');
  expect(second.outcome.result).toMatchObject({ call: { params: '{"number":2,"name":"Ada"}' } });
});

test.each([
  [true, [], "mutation orderRepair"],
  [false, [{ reader: "Bea" }], "mutation putAside"],
  [false, [], "returned null"],
])(
  "[R39] [R40] mutate ends in one call or in none (damaged: %s)",
  async (damaged, waiting, want) => {
    const player = await play("terminal-mutation.js", {
      topics: ["book.returned"],
      stubs: {
        library: {
          returnedBooks: read([{ loanId: "l-1", bookId: "b-1", damaged }]),
          listReservations: read(waiting),
          orderRepair: mutation,
          putAside: mutation,
        },
      },
    });
    await player.run("producer", "readBox");
    const { outcome } = await mutate(player, "handleReturn");
    expect(verdictOf(outcome)).toBe(want);
  },
);

test("[L22] [R151] a bare withItem with globals sends twice to one recipient", async () => {
  const player = await play("subkeys.js", {
    topics: [],
    stubs: {
      members: { list: read([{ id: "s-1", name: "Cid", address: "cid@example.com" }]) },
      post: { send: mutation },
    },
  });
  expect(verdictOf(await player.run("job", "welcomeSingers"))).toBe("returned null");
  expect(player.calls).toEqual([
    'members.list {"joinedSince":"2024-09-01"}',
    'ctx.withItem ["singer:s-1","Singer Cid"]',
    'post.send {"to":"cid@example.com","body":"Welcome to the choir.","subkey":"welcome"}',
    'post.send {"to":"cid@example.com","body":"Your key to the hall.","subkey":"hall-key"}',
    "ctx.itemDone []",
  ]);
});
