import { randomUUID } from "node:crypto";
import type { Store } from "@holdfast/core";
import {
  Engine,
  type EngineOptions,
  findQuestion,
  KeptKernels,
  listQuestions,
  RemoteDesk,
  realClock,
  realTimers,
} from "@holdfast/host";
import type { ServerType } from "@hono/node-server";
import type { Access } from "./access/access.ts";
import type { TokenEntry } from "./access/access-book.ts";
import type { Accounts } from "./accounts.ts";
import { makeApp } from "./api/app.ts";
import { Readiness } from "./api/readiness.ts";
import { watchedOutside, watchedScripts, watchedStore } from "./boundaries.ts";
import { log } from "./host-log.ts";
import { type Doorway, listen } from "./listen.ts";
import { Live } from "./live/live.ts";
import { Metrics } from "./metrics/metrics.ts";
import { WedgeCount } from "./metrics/wedge-count.ts";
import { Notifier } from "./notify/notifier.ts";
import type { Sink } from "./notify/sinks.ts";
import { PageShelf, realShelf } from "./page/page-shelf.ts";
import type { Policies } from "./policies.ts";
import type { ScriptWorkshop } from "./ports.ts";
import { ScriptShelf } from "./scripts/script-shelf.ts";
import type { HostSecrets } from "./secrets.ts";
import type { Telemetry } from "./telemetry/telemetry.ts";

export type HostParts = {
  readonly store: Store;
  readonly workshop: ScriptWorkshop;
  readonly accounts: Accounts;
  readonly access: Access;
  readonly onAccess: (text: string) => void;
  readonly onRevoked: (entry: TokenEntry) => void;
  readonly secrets: HostSecrets;
  readonly doorway: Doorway;
  readonly names: readonly string[];
  readonly leaseMs: number;
  /** Workflows that are worked for at once. */
  readonly capacity: number;
  readonly policies: Policies;
  readonly observer: NonNullable<EngineOptions["observer"]>;
  /** The tokens of executors in other processes, by connector. */
  readonly remote: ReadonlyMap<string, readonly string[]>;
  /** Told of questions. */
  readonly sinks: readonly Sink[];
  /** Null = nobody has asked for it. */
  readonly telemetry: Telemetry | null;
  /** Where people reach this host; null = where it listens. */
  readonly publicUrl: string | null;
};

/** One running host: its engine and its API. */
export class Host {
  readonly url: string;
  readonly #server: ServerType;
  readonly #engine: Engine;
  readonly #notifier: Notifier;
  readonly #live: Live;
  readonly #page: PageShelf;
  readonly #desk: RemoteDesk;

  private constructor(
    url: string,
    parts: {
      readonly server: ServerType;
      readonly engine: Engine;
      readonly notifier: Notifier;
      readonly live: Live;
      readonly page: PageShelf;
      readonly desk: RemoteDesk;
    },
  ) {
    this.url = url;
    this.#server = parts.server;
    this.#engine = parts.engine;
    this.#notifier = parts.notifier;
    this.#live = parts.live;
    this.#page = parts.page;
    this.#desk = parts.desk;
  }

  /** Listens before it works: a port that is taken must not leave a host behind. */
  static async start(parts: HostParts): Promise<Host> {
    const { workshop, accounts, secrets } = parts;
    const store = watchedStore(parts.telemetry?.watched(parts.store) ?? parts.store);
    const now = steadyNow();
    const desk = new RemoteDesk(realTimers, [...parts.remote.keys()]);
    const shelf = new ScriptShelf({
      ...{ desk, store, now },
      workshop,
      accounts,
      secrets,
      timers: realTimers,
      random: Math.random,
    });
    let engine: Engine | null = null;
    const watchers = watchersOf(store, () => engine?.state ?? "starting");
    const { live, metrics, page } = watchers;
    await parts.telemetry?.measure(metrics);
    const app = makeApp({
      ...parts,
      ...watchers,
      activeScript: (workflow) => shelf.active(workflow),
      activeWorld: (workflow) => shelf.activeWorld(workflow),
      desk,
      version: (workflow, hash) => shelf.version(workflow, hash),
      kernels: new KeptKernels(),
      now,
    });
    const { server, url } = await listen(app.fetch, parts.doorway);
    const notifier = notifierOf({ ...parts, store, url: parts.publicUrl ?? url });
    const starting = Engine.start({
      store,
      incarnation: `host-${randomUUID()}`,
      leaseMs: parts.leaseMs,
      capacity: parts.capacity,
      scripts: watchedScripts(shelf),
      outside: (workflow) => watchedOutside(shelf.outside(workflow)),
      ...{ clock: { now }, monotonic: realClock },
      timers: realTimers,
      random: Math.random,
      ...{ desk, ownExecutors: ownExecutors(accounts, desk) },
      observer: {
        ...parts.observer,
        onQuestion: (asked) => notifier.tell(asked),
        onCommitted: (_, facts) => {
          live.changed();
          metrics.committed(facts);
        },
      },
      policy: parts.policies.ofHost,
      policyOf: (workflow, call) => parts.policies.of(workflow, call),
    });
    // A server that listens for a host that never came would keep the process alive.
    engine = await starting.catch(async (error: unknown) => {
      await closeServer(server);
      throw error;
    });
    notifier.remind();
    return new Host(url, { server, engine, notifier, live, page, desk });
  }

  /** What runs is brought to where all is durable; then everything is handed over. */
  async stop(): Promise<void> {
    try {
      await this.#engine.stop();
    } finally {
      this.#notifier.close();
      this.#live.close();
      this.#page.close();
      this.#desk.close();
      await closeServer(this.#server);
    }
  }
}

/** What this host makes itself: no executor is waited for. */
function ownExecutors({ known }: Accounts, desk: RemoteDesk): readonly string[] {
  return Object.keys(known.connectors).filter((connector) => !desk.serves(connector));
}

/** What tells others how this host does. */
function watchersOf(store: Store, work: () => Engine["state"]) {
  const complain = (line: string) => log.complain(line);
  const live = new Live({ store, timers: realTimers, complain });
  const onWedge = (workflow: string, text: string) =>
    log.complain(`${workflow}: no rule explains ${text}`, { workflow });
  const wedges = new WedgeCount({ store, now: () => Date.now(), onWedge });
  const metrics = new Metrics({ store, openStreams: () => live.openCount, wedges });
  const readiness = new Readiness({ store, clock: realClock, timers: realTimers, work });
  return { live, metrics, readiness, page: new PageShelf({ ...realShelf, complain }) };
}

/** Enough to count; of more than these it is only said that there are more. */
const openCountedMax = 100;

function notifierOf({
  store,
  sinks,
  url,
}: Pick<HostParts, "store" | "sinks"> & { readonly url: string }): Notifier {
  return new Notifier({
    find: ({ workflow, attentionId }) => findQuestion(store, workflow, attentionId),
    findOpen: () => listQuestions(store, { after: null, limit: openCountedMax }),
    sinks,
    timers: realTimers,
    url,
    say: (line, ids) => log.say(line, ids),
    complain: (line, ids) => log.complain(line, ids),
  });
}

async function closeServer(server: ServerType): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.close((error) => (error ? reject(error) : resolve()));
    if ("closeAllConnections" in server) server.closeAllConnections();
  });
}

/** A system clock may be set back; what the core is told may not. */
function steadyNow(): () => number {
  let last = 0;
  return () => {
    last = Math.max(last, Date.now());
    return last;
  };
}
