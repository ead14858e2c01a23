import { encodeCanonical, type HostedMachines, type JournalThread } from "@holdfast/core";
import { listCells, replayMachines, showCell } from "@holdfast/host";
import type { Sandbox } from "@holdfast/sandbox";
import { expect } from "vitest";
import { machineSource, shopEffects } from "./machine-workflow.ts";
import type { openStores } from "./open-stores.ts";
import { type ScriptedOperation, ScriptedWorld } from "./scripted-world.ts";
import { WorkflowInTest } from "./workflow-in-test.ts";

export const machine = "orders/order@1";

/** A workflow with one machine, and eyes for what it is. */
export class MachineInTest {
  readonly test: WorkflowInTest;
  readonly world: ScriptedWorld;
  #count = 0;

  private constructor(test: WorkflowInTest, world: ScriptedWorld) {
    this.test = test;
    this.world = world;
  }

  static async begin(
    sandbox: Sandbox,
    open: (typeof openStores)["memory"],
    book: Partial<ScriptedOperation> = {},
    look: Partial<ScriptedOperation> = {},
  ): Promise<MachineInTest> {
    const clock = { now: 1_000_000 };
    const store = await open(() => clock.now);
    let count = 0;
    const world = new ScriptedWorld({
      shop: {
        book: { kind: "mutation", answer: () => ({ number: ++count }), ...book },
        look: { kind: "read:byId", answer: () => ({ number: 7 }), ...look },
        weigh: { kind: "metered", answer: () => ({ number: 7 }), ...look },
      },
      depot: { look: { kind: "read:byId", answer: () => ({ number: 8 }) } },
    });
    const parts = { store, sandbox, world, clock, effects: shopEffects };
    return new MachineInTest(await WorkflowInTest.create(parts, machineSource), world);
  }

  get parts() {
    const { store, workflow } = this.test;
    return { store, workflow, loadScript: async (hash: string) => this.test.scriptOf(hash) };
  }

  /** Says something to a cell through its topic, without letting anybody work. */
  async tell(id: string, say: string): Promise<void> {
    const payload = encodeCanonical({ id, say });
    const messageId = `event ${++this.#count}`;
    const event = { topic: "order.received", messageId, payload, title: null };
    await this.test.command("publish_event", event);
  }

  async say(id: string, say: string): Promise<void> {
    await this.tell(id, say);
    await this.test.live();
  }

  async log(id: string): Promise<unknown> {
    const shown = await showCell(this.parts, { machine, key: encodeCanonical(id) });
    return (shown?.state as { log?: unknown } | null)?.log;
  }

  async status(id: string): Promise<string | undefined> {
    return (await listCells(this.parts)).find(({ key }) => key === id)?.status;
  }

  get sent(): readonly unknown[] {
    return this.world.sent.map(({ params }) => params["id"]);
  }

  get looked(): readonly string[] {
    return this.world.reads.filter((name) => name === "shop.look");
  }

  async expectSound(): Promise<void> {
    await this.test.expectSound();
    expect(await replayMachines(this.parts)).toMatchObject({ ok: true });
  }
}

type Parts = MachineInTest["parts"];

/** The same with other threads for journals; null = there are none. */
export function withThread(
  parts: Parts,
  other: ((thread: JournalThread) => JournalThread) | null,
): Parts {
  const own = new Map<HostedMachines, HostedMachines>();
  const loadScript: Parts["loadScript"] = async (hash) => {
    const script = await parts.loadScript(hash);
    const { machines } = script;
    if (machines?.runJournal === undefined) throw new Error("its journal has a thread");
    const { runJournal: begin, ...rest } = machines;
    if (other === null) return { ...script, machines: rest };
    const runJournal = (limits: Parameters<typeof begin>[0]) => {
      const thread = begin(limits);
      return other({
        learn: (each) => thread.learn(own.get(each) ?? each),
        ask: (ask, keys) => thread.ask(ask, keys),
        rest: () => thread.rest(),
        end: () => thread.end(),
      });
    };
    const changed = { ...rest, runJournal };
    own.set(changed, machines);
    return { ...script, machines: changed };
  };
  return { ...parts, loadScript };
}
