import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { HostProcess, newFolder, type StorePlace, verifyFull } from "./host-process.ts";
import { places } from "./stores.ts";

const example = fileURLToPath(new URL("../../examples/machines/counter.ts", import.meta.url));
const deadlySteps = fileURLToPath(new URL("./deadly-steps.ts", import.meta.url));

type Questions = { items: readonly { attentionId: string; kind: string; note: string }[] };

/** The shipped program, one life after the other, with a step that may kill it. */
class DeadlyHost {
  readonly #file: string;
  readonly #start: () => HostProcess;
  host: HostProcess;

  constructor(store: StorePlace) {
    const folder = newFolder();
    const accountsFile = join(folder, "accounts.json");
    writeFileSync(accountsFile, "{}");
    this.#file = join(folder, "deadly");
    const environment = { HOLDFAST_DEADLY_STEPS: this.#file, HOLDFAST_LEASE_MS: "2000" };
    const imports = [deadlySteps];
    this.#start = () => new HostProcess({ store, accountsFile, environment, imports });
    this.host = this.#start();
    onTestFinished(() => this.host.kill("SIGKILL"));
  }

  set isDeadly(isDeadly: boolean) {
    if (isDeadly) writeFileSync(this.#file, "");
    else rmSync(this.#file);
  }

  /** The host dies of itself, and another one is started. */
  async nextLife(): Promise<void> {
    await this.host.ended;
    this.host = this.#start();
  }

  publish(messageId: string, topic: string, payload: object): Promise<unknown> {
    const body = { topic, messageId, payload };
    return this.host.api("POST", "/workflows/counter/commands", { kind: "publish_event", body });
  }

  async questions(): Promise<Questions["items"]> {
    const path = "/workflows/counter/attention?status=open";
    return (await this.host.api<Questions>("GET", path)).items;
  }

  async asked(): Promise<Questions["items"][number]> {
    return vi.waitUntil(async () => (await this.questions())[0], {
      timeout: 60_000,
      interval: 50,
    });
  }

  async rests(): Promise<void> {
    const why = async () => (await this.host.holdfast("why", "counter")).out;
    const isResting = async () => (await why()).includes("there is nothing to do until something");
    await vi.waitUntil(isResting, { timeout: 60_000, interval: 50 });
  }

  async isDone(): Promise<boolean> {
    const path = "/workflows/counter/machines/state?machine=counter";
    type Cell = { readonly status: string };
    const cell = await this.host.api<Cell>("GET", path).catch(() => null);
    return cell?.status === "completed";
  }
}

describe.each(Object.entries(places))("a step that kills its host, on %s", (_, newStore) => {
  test("[R162] stops the workflow after two deaths that left a trace, until resumed", async () => {
    const store = await newStore();
    const it = new DeadlyHost(store);
    expect(await it.host.holdfast("deploy", example)).toMatchObject({ code: 0 });
    it.isDeadly = true;
    // Who publishes may hear nothing more of it: the host dies meanwhile.
    await it.publish("1", "counter.start", { target: 1 }).catch(() => null);
    // The first death leaves no trace, the next two are counted; the fourth life asks.
    for (let death = 0; death < 3; death++) await it.nextLife();
    expect(await it.asked()).toMatchObject({
      kind: "crash_loop",
      note: "the machines brought the host down 2 times in a row",
      answers: ["resume"],
    });
    await it.publish("2", "counter.tick", {});
    expect(await it.questions()).toHaveLength(1);
    it.isDeadly = false;
    const { attentionId } = await it.asked();
    await it.host.holdfast("answer", "counter", attentionId, "resume");
    await vi.waitUntil(() => it.isDone(), { timeout: 60_000, interval: 50 });
    expect(await it.questions()).toEqual([]);
    expect(await it.host.holdfast("machine", "replay", "counter")).toMatchObject({ code: 0 });
    await it.host.stop();
    expect((await verifyFull(store)).out).toContain("nothing differs");
  });

  test("[R162] is not suspected where the next life goes well", async () => {
    const it = new DeadlyHost(await newStore());
    expect(await it.host.holdfast("deploy", example)).toMatchObject({ code: 0 });
    await it.publish("1", "counter.start", { target: 3 });
    await it.rests();
    for (const tick of ["a", "b", "c"]) {
      it.isDeadly = true;
      await it.publish(tick, "counter.tick", {}).catch(() => null);
      await it.host.ended;
      it.isDeadly = false;
      await it.nextLife();
      await it.rests();
    }
    expect(await it.isDone()).toBe(true);
    expect(await it.questions()).toEqual([]);
  });
});
