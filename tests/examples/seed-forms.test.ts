import {
  everyCrash,
  mutation,
  read,
  type ScriptedConnections,
  testWorkflow,
} from "@holdfast/testing";
import { describe, expect, test } from "vitest";

type Form = {
  readonly connections: ScriptedConnections;
  /** Names and parameters of what reaches the services. */
  readonly sent: readonly (readonly [name: string, params: object])[];
};

const forms: Readonly<Record<string, Form>> = {
  "bare-producer.js": {
    connections: {
      sensors: { recent: read.list([{ id: "r-1", humidity: 61, takenAt: "2026-01-05" }]) },
      notebook: { append: mutation() },
    },
    sent: [["notebook.append", { book: "cellar", line: "61 %" }]],
  },
  "keep-consumer.js": {
    connections: {
      garden: {
        listPlants: read.list([{ id: "p-1", name: "Fern", measuredOn: "2026-01-05" }]),
        getPlant: read.byId({ id: "p-1", liters: 2 }),
        openValve: mutation({ liters: 2 }),
      },
      chat: { post: mutation() },
    },
    sent: [["garden.openValve", { plantId: "p-1", liters: 2 }]],
  },
  "prepare-with-state.js": {
    connections: {
      door: {
        arrivals: read.list([
          { ticket: "t-1", name: "Ada", sequence: 1 },
          { ticket: "t-2", name: "Bob", sequence: 2 },
        ]),
      },
      printer: { badge: mutation() },
    },
    sent: [
      ["printer.badge", { number: 1, name: "Ada" }],
      ["printer.badge", { number: 2, name: "Bob" }],
    ],
  },
  "terminal-mutation.js": {
    connections: {
      library: {
        returnedBooks: read.list([
          { loanId: "l-1", bookId: "b-1", damaged: true },
          { loanId: "l-2", bookId: "b-2", damaged: false },
          { loanId: "l-3", bookId: "b-3", damaged: false },
        ]),
        listReservations: read.list<{ bookId: string }>(({ bookId }) =>
          bookId === "b-2" ? [{ reader: "Ada" }] : [],
        ),
        orderRepair: mutation(),
        putAside: mutation(),
      },
    },
    sent: [
      ["library.orderRepair", { bookId: "b-1" }],
      ["library.putAside", { bookId: "b-2", reader: "Ada" }],
    ],
  },
};

describe.each(Object.entries(forms))("examples/seed-forms/%s", (name, { connections, sent }) => {
  const options = { script: `examples/seed-forms/${name}`, connections };

  test("[R145] runs as it is written, when a person starts it", async () => {
    await using it = await testWorkflow({ ...options, alwaysReplay: true });
    await it.runNow();
    await it.settle();
    expect(it.sent.map((each) => [each.name, each.params])).toEqual(sent);
    expect(it.warnings.map(({ code }) => code)).toContain("manual_only");
  });

  test("[R134] [R135] ends in the same way wherever its host dies", async () => {
    await everyCrash(options, async (it) => {
      await it.runNow();
      await it.settle();
    });
  });
});

describe("examples/seed-forms/subkeys.js", () => {
  const singers = [{ id: "s1", name: "Ada", address: "ada@x" }];
  const options = {
    script: "examples/seed-forms/subkeys.js",
    connections: { members: { list: read.list(singers) }, post: { send: mutation() } },
  };

  test("[S44, L22] sends two letters to one address, told apart by their subkeys", async () => {
    const it = await testWorkflow(options);
    await it.runNow();
    await it.settle();
    await it.runNow();
    await it.settle();
    expect(it.sent.map(({ params }) => params)).toEqual([
      { to: "ada@x", body: "Welcome to the choir." },
      { to: "ada@x", body: "Your key to the hall." },
    ]);
  });

  test("[R134] [R135] ends in the same way wherever its host dies", async () => {
    await everyCrash(options, async (it) => {
      await it.runNow();
      await it.settle();
    });
  });
});
