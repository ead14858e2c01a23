import { describe, expect, test } from "vitest";
import { type Anchors, callGuest } from "../engine/boot.ts";
import { Instance } from "../engine/instance.ts";
import type { PhaseCall } from "../run/phase.ts";
import { Sandbox } from "../sandbox.ts";
import { bootBare, hearing, load, partsOf, prepare, returnedBy } from "../testing/parts.ts";
import { answering, scriptOf } from "../testing/phases.ts";

/** The guest's own part in its smallest form, with the engine's own random numbers. */
const naiveGuest = `(() => {
  const host = globalThis.__host;
  return { adopt: () => 1, enter: () => { host("log", String(Math.random())); }, settle: () => 1 };
})()`;

describe("chance", () => {
  test("[R147] repeats itself in every run of one image if nobody seeds it", () => {
    const { instance, image, anchors } = bootBare(naiveGuest);
    const heard: string[] = [];
    for (let run = 0; run < 2; run++) {
      instance.putImage(image);
      instance.enter(hearing(heard), () => {
        callGuest(instance, anchors.context, anchors.enter, []);
      });
    }
    expect(heard).toHaveLength(2);
    expect(heard[1]).toBe(heard[0]);
  });

  test("[R147] differs between seeds, and not for one, whatever a script changed", async () => {
    const real = await partsOf(Instance);
    const script = load(
      real,
      `(() => {
        Reflect.apply = () => 0;
        String.prototype.charCodeAt = () => 0;
        Math.imul = () => 0;
        Array.prototype[Symbol.iterator] = function* () { yield 0; };
        return { consumers: { h: { prepare: () => [Math.random(), Math.random()] } } };
      })()`,
    );
    const numbers = (seed: string) => returnedBy(real.slices.start(script, { ...prepare, seed }));
    expect(numbers("a")).toMatch(/^\[0\.\d+,0\.\d+\]$/);
    expect(numbers("a")).toBe(numbers("a"));
    expect(new Set(["a", "b", "c", "aa", "ab", "ba", ""].map(numbers)).size).toBe(7);
  });

  test("[R147] mutate and next call and publish the same bytes the second time", async () => {
    const sandbox = await Sandbox.open({ threadsMax: 2 });
    try {
      const loaded = await sandbox.load(
        scriptOf(`{ consumers: { h: {
          mutate: (ctx, prepared) => ctx.shop.bookOrder({ id: Math.random(), at: Date.now(),
            prepared }),
          next: async (ctx) => { for (let n = 0; n < 3; n++) {
            await ctx.publish("orders", { messageId: String(Math.random()), at: new Date() + "" });
          } },
        } } }`),
      );
      if (!loaded.ok) throw new Error(loaded.failure.message);
      const { script } = loaded;
      for (const phase of ["mutate", "next"] as const) {
        const call: PhaseCall = { ...prepare, phase, given: { prepared: `{"b":1,"a":2}` } };
        const twice = [1, 2].map(() => sandbox.run(script, call, answering(null)));
        const [first, second] = await Promise.all(twice);
        expect(second?.result).toEqual(first?.result);
        expect(second?.record).toEqual(first?.record);
        expect(JSON.stringify([first?.result, first?.record])).toContain("0.");
      }
    } finally {
      await sandbox.close();
    }
  });
});

describe("a function of the host that the guest dropped", () => {
  /** As other bindings do it: functions have numbers, and free numbers are given again. */
  class NaiveTable {
    readonly #functions: ((() => string) | null)[] = [];
    create(made: () => string): number {
      const free = this.#functions.indexOf(null);
      const id = free === -1 ? this.#functions.length : free;
      this.#functions[id] = made;
      return id;
    }
    drop(id: number): void {
      this.#functions[id] = null;
    }
    call(id: number): string {
      return this.#functions[id]?.() ?? "";
    }
  }

  test("[R132] becomes another one where numbers are given again", () => {
    const table = new NaiveTable();
    const harmless = table.create(() => "log");
    table.drop(harmless);
    table.create(() => "send money");
    expect(table.call(harmless)).toBe("send money");
  });

  test("[R132] stays what it was here: there is one, and its number means nothing", () => {
    const { instance, anchors } = bootBare(`(() => {
      const host = globalThis.__host;
      let others = globalThis.others;
      return { adopt: () => { others = null; delete globalThis.others; }, settle: () => 1,
        enter: () => { host("log", "one"); others?.("log", "other"); } };
    })()`);
    const heard: string[] = [];
    const run = (called: number) =>
      instance.enter(hearing(heard), () => {
        callGuest(instance, anchors.context, called, []);
      });
    for (let id = 2; id < 20; id++) giveAnother(instance, anchors, id);
    run(anchors.enter);
    run(anchors.adopt);
    for (let id = 2; id < 20; id++) giveAnother(instance, anchors, id);
    run(anchors.enter);
    expect(heard).toEqual(["one", "one"]);
  });

  test("[R132] is nowhere in what a script can reach", async () => {
    const real = await partsOf(Instance);
    const script = load(
      real,
      `{ consumers: { h: { prepare: (ctx) => {
        const seen = new Set(), found = [];
        const visit = (o) => {
          if ((typeof o !== "object" && typeof o !== "function") || o === null) return;
          if (seen.has(o)) return;
          seen.add(o);
          if (typeof o === "function" && o.name === "__host") found.push(String(o));
          visit(Object.getPrototypeOf(o));
          for (const key of Reflect.ownKeys(o)) {
            const { value, get, set } = Reflect.getOwnPropertyDescriptor(o, key);
            [value, get, set].forEach(visit);
          }
        };
        [globalThis, ctx, ctx.shop, console, Keep].forEach(visit);
        return [found, seen.size > 500];
      } } } }`,
    );
    expect(returnedBy(real.slices.start(script, prepare))).toBe("[[],true]");
  });
});

/** One more native function with a number of its own, as a global that replaces the last one. */
function giveAnother(instance: Instance, { context }: Anchors, id: number): void {
  const { exports } = instance;
  instance.enter(hearing([]), () => {
    instance.withText("others", (name) => {
      const made = exports.QTS_NewFunction(context, name, 2, 0, id);
      const key = exports.QTS_NewString(context, name);
      exports.QTS_SetProp(context, exports.QTS_GetGlobalObject(context), key, made);
      exports.QTS_FreeValuePointer(context, made);
    });
  });
}
