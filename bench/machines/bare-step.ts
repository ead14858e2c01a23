import { sandboxLimitDefaults } from "@holdfast/sandbox";
import { boot, guestCode, Instance, loadEngine, SliceServer } from "@holdfast/sandbox/engine";
import type { CountingScript } from "./machine-world.ts";
import { type Cost, costOf } from "./step-cost.ts";

const call = {
  phase: "step",
  handler: "hot",
  given: {
    state: '{"count":1,"total":5,"last":"order-1"}',
    event: '{"id":"order-2","sum":7}',
    context: '{"key":null}',
  },
  connections: {},
  subscribe: [],
  publishes: [],
  mutateReads: "none",
  now: 5,
  seed: "ab".repeat(32),
} as const;

/** The step alone: called in its isolate, in this thread, with nothing recorded of it. */
export class BareStep {
  readonly #server: SliceServer;
  readonly #start: Parameters<SliceServer["serve"]>[0];

  private constructor(server: SliceServer, start: Parameters<SliceServer["serve"]>[0]) {
    this.#server = server;
    this.#start = start;
  }

  static async open({ loaded }: CountingScript): Promise<BareStep> {
    const limits = sandboxLimitDefaults;
    const engine = loadEngine();
    const instance = new Instance(engine, limits.heapBytesMax);
    const { stackBytesMax } = limits;
    const image = boot(instance, { guestCode: await guestCode(), stackBytesMax });
    const server = new SliceServer({ engine, boot: image, limits });
    const answer = server.serve({ kind: "load", code: loaded.code });
    if (answer.kind !== "load" || answer.answer.kind !== "loaded") throw new Error("not loaded");
    const { script } = answer.answer;
    return new BareStep(server, { kind: "start", script, call, follow: null });
  }

  run(count: number): Promise<Cost> {
    return costOf(count, async () => {
      for (let step = 0; step < count; step++) {
        const answer = this.#server.serve(this.#start);
        if (answer.kind !== "run") throw new Error(JSON.stringify(answer));
      }
    });
  }
}
