/** What a test needs another process for. Says one JSON value per line. */
import { join } from "node:path";
import { HostError, insertRow } from "@holdfast/core";
import { Owner } from "../../testing/change-builder.ts";
import { eventRow } from "../../testing/row-builder.ts";
import { Connection } from "../connection.ts";
import { openSqliteStore } from "../index.ts";
import { lockFolder } from "../lock.ts";
import { migrate } from "../migrate.ts";
import { ThreadReader } from "../reader.ts";
import { SqliteStore } from "../sqlite-store.ts";
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

/** The number of no open file. */
const noFile = 2_147_483_647;

/** Its log is copied, and no copy can be synced: the file to sync is none. */
function openUnsyncable(folder: string): SqliteStore {
  const path = join(folder, "holdfast.db");
  const connection = new Connection(path, "write");
  const clock = Date.now;
  const newIncarnation = () => "store-child";
  const name = migrate(connection, { newIncarnation, lastIncarnation: null });
  const lock = lockFolder(folder, clock());
  lock.noteOpen({ storeIncarnation: name.storeIncarnation, openedAs: "opening-1" });
  const reader = new ThreadReader(path);
  const copyLog = reader.copyLog.bind(reader);
  reader.copyLog = () => copyLog(noFile);
  return new SqliteStore({ ...name, connection, reader, lock, clock });
}

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

  /** Commits until a copy of the log cannot be synced, closes the store and ends as usual. */
  commitUntilUnsynced: async (folder) => {
    const store = openUnsyncable(folder);
    const owner = await Owner.create(store);
    const began = owner.head.seq;
    try {
      for (;;) await owner.persistChange({ parts: [largePart(owner.head.seq)] });
    } catch (error) {
      say({ began, acknowledged: owner.head.seq, said: describe(error) });
    }
    await store.close();
    say("closed");
    process.exit(0);
  },
};

const [task = "", folder = ""] = process.argv.slice(2);
await tasks[task]?.(folder).catch((error: unknown) => say(describe(error)));
