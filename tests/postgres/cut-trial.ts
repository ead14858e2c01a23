import { join } from "node:path";
import { HostError, type Store } from "@holdfast/core";
import { openPostgresStore } from "@holdfast/store/postgres";
import {
  CuttingProxy,
  createTestDatabase,
  type PlannedCut,
  type RequestReport,
} from "@holdfast/store/testing/postgres";
import { checkStore } from "../crash/check-store.ts";
import { Life } from "../crash/life.ts";
import { LifeClock } from "../crash/life-clock.ts";
import { Outside } from "../crash/outside.ts";
import { inTempFolder } from "../crash/temp-folder.ts";
import { Testimony } from "../crash/testimony.ts";
import { witnessed } from "../crash/witness.ts";
import { type Manner, sentCallsOf, withManner } from "./broken-host.ts";
import { answersBeforeDelivery, type CutPoint, kindOf, nameOf } from "./cut-point.ts";
import { steady } from "./steady-store.ts";

/** Far longer than a life takes, even on a very busy machine. */
const lifeMsMax = 60_000;
const opensMax = 5;
/** Few, because each of them costs the server more than what a life then does with it. */
const connectionsMax = 2;

export type CutReport = {
  readonly name: string;
  /** Null = the life had no such request. */
  readonly cut: RequestReport | null;
  /** All that went through the proxy. */
  readonly requests: readonly RequestReport[];
  readonly problems: readonly string[];
};

export type Ground = { readonly serverUrl: string; readonly template: string };

/** Null = nothing is cut. */
export async function tryCut(
  { serverUrl, template }: Ground,
  point: CutPoint | null,
  manner: Manner = null,
): Promise<CutReport> {
  const { url, drop } = await createTestDatabase(serverUrl, { template });
  const proxy = await CuttingProxy.start(url);
  try {
    return await inTempFolder((folder) => new CutTrial(proxy, url, point).run(folder, manner));
  } finally {
    await proxy.stop();
    await drop();
  }
}

/** One life in one process with one store object, whose connection is cut once. */
class CutTrial {
  readonly #proxy: CuttingProxy;
  readonly #url: string;
  readonly #point: CutPoint | null;
  readonly #planned: PlannedCut | null;
  readonly #testimony = new Testimony();
  #cut: RequestReport | null = null;
  #answersLeft = Number.POSITIVE_INFINITY;

  constructor(proxy: CuttingProxy, url: string, point: CutPoint | null) {
    [this.#proxy, this.#url, this.#point] = [proxy, url, point];
    this.#planned = point === null ? null : this.#plan(point);
  }

  async run(folder: string, manner: Manner): Promise<CutReport> {
    const problems: string[] = [];
    const outside = new Outside(join(folder, "outside"));
    try {
      await this.#live(outside, manner);
    } catch (error) {
      problems.push(`the life did not come to its end: ${textOf(error)}`);
    }
    problems.push(...(await this.#check(outside, problems.length === 0)));
    const name = this.#point === null ? "undisturbed" : nameOf(this.#point);
    return { name, cut: this.#cut, requests: this.#proxy.requests, problems };
  }

  #plan({ kind, request, place, how }: CutPoint): PlannedCut {
    const matching = { test: (sql: string) => kindOf(sql) === kind } as RegExp;
    const planned = this.#proxy.plan({
      request,
      place,
      how,
      ...(kind === null ? {} : { matching }),
    });
    void planned.hit.then((report) => {
      this.#cut = report;
      if (place.at !== "hold-then-deliver") return;
      this.#answersLeft = answersBeforeDelivery[this.#point?.delivery ?? "at once"];
      if (this.#answersLeft === 0) void planned.deliver();
    });
    return planned;
  }

  #noteAnswer(): void {
    this.#answersLeft -= 1;
    if (this.#answersLeft === 0) void this.#planned?.deliver();
  }

  async #live(outside: Outside, manner: Manner): Promise<void> {
    const store = await this.#open();
    const endWatch = store.watch(() => {});
    const tell = this.#testimony.add.bind(this.#testimony);
    const told = witnessed(withManner(store, manner), null, tell);
    const life = new Life({
      store: steady(store),
      witnessed: steady(told),
      outside,
      life: 1,
      sentCalls: sentCallsOf(manner),
    });
    try {
      await inTime(life.live());
    } finally {
      endWatch();
      await this.#letGhostLand();
      await store.close();
    }
  }

  /** What was held until the end comes now, when nobody is there any more. */
  async #letGhostLand(): Promise<void> {
    if (this.#cut === null || this.#planned === null) return;
    if (this.#answersLeft > 0 && this.#point?.place.at === "hold-then-deliver") {
      await this.#planned.deliver();
    }
    await inTime(this.#planned.settled);
  }

  /** Whoever cannot open the store tries again: nothing has begun. */
  async #open(): Promise<Store> {
    for (let tried = 1; ; tried += 1) {
      try {
        return await openPostgresStore({
          url: this.#proxy.url(),
          clock: new LifeClock(1).now,
          newIncarnation: () => `store-${tried}`,
          connectionsMax,
          atBoundary: (boundary) => {
            if (boundary.endsWith("answered")) this.#noteAnswer();
          },
        });
      } catch (error) {
        const isLost = error instanceof HostError && error.code === "STORE_UNREACHABLE";
        if (!isLost || tried === opensMax) throw error;
      }
    }
  }

  async #check(outside: Outside, finished: boolean): Promise<readonly string[]> {
    const store = await openPostgresStore({
      url: this.#url,
      clock: () => 0,
      newIncarnation: () => "none",
      connectionsMax: 1,
    });
    try {
      const evidence = { testimony: this.#testimony, outside, finished };
      return await checkStore(store, evidence);
    } finally {
      await store.close();
    }
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error("it hangs")), lifeMsMax);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
