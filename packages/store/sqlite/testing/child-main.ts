/** What a test needs another process for. Says one JSON value per line. */
import { HostError, insertRow } from "@holdfast/core";
import { Owner } from "../../testing/change-builder.ts";
import { eventRow } from "../../testing/row-builder.ts";
import { openSqliteStore, type SqliteStore } from "../index.ts";
import { largePart } from "./large-part.ts";

function say(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

function describe(error: unknown): unknown {
  return error instanceof HostError
    ? { code: error.code, retry: error.retry, message: error.message }
    : { code: "none", message: String(error) };
}

const open = (folder: string): Promise<SqliteStore> =>
  openSqliteStore({ folder, clock: Date.now, newIncarnation: () => "store-child" });

const tasks: Readonly<Record<string, (folder: string) => Promise<void>>> = {
  /** Opens the store and stays until it is killed. */
  hold: async (folder) => {
    await open(folder);
    say({ pid: process.pid });
    setInterval(() => {}, 1_000_000);
  },

  open: async (folder) => {
    const store = await open(folder);
    await store.close();
    say("opened");
  },

  /** Commits until the disk refuses, then says what the store says from then on. */
  commitUntilFailure: async (folder) => {
    const store = await open(folder);
    const owner = await Owner.create(store);
    for (let number = 1; ; number++) {
      const row = insertRow("events", eventRow(`m-${number}`, { position: number }));
      const answer = await owner.commit({ rows: [row] });
      if (answer.kind === "committed") continue;
      say({ answer: answer.kind, committed: number - 1 });
      break;
    }
    await store.load("orders", []).then(say, (error) => say(describe(error)));
    await store.commit([owner.change()]).then(say, (error) => say(describe(error)));
    process.exit(0);
  },

  /** Commits until it is killed, and says how many there are, each once it is acknowledged. */
  commitLargeParts: async (folder) => {
    const store = await open(folder);
    const owner = await Owner.create(store);
    for (let number = owner.head.seq; ; number = owner.head.seq) {
      say(number);
      await owner.persistChange({ parts: [largePart(number)] });
    }
  },
};

const [task = "", folder = ""] = process.argv.slice(2);
await tasks[task]?.(folder).catch((error: unknown) => say(describe(error)));
