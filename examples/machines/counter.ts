/** A machine without effects: it counts down ticks and is done. */
import { machine, schema, workflow } from "@holdfast/sdk";

const start = schema.record({ target: schema.nat() });
const tick = schema.record({});

const topics = { "counter.start": { schema: start }, "counter.tick": { schema: tick } };

const state = schema.record({
  phase: schema.variant({ Counting: null, Done: null }),
  remaining: schema.nat(),
});

export default workflow<typeof topics>({
  name: "counter",
  topics,
  machines: {
    counter: machine({
      state,
      event: schema.variant({
        Start: schema.ref("counter.start", start),
        Tick: schema.ref("counter.tick", tick),
      }),
      effects: [],
      subscribe: [{ topic: "counter.start" }, { topic: "counter.tick" }],
      step(before, event) {
        const remaining =
          event.$tag === "Start" ? event.$value.target : Math.max(0, (before?.remaining ?? 0) - 1);
        const done = remaining === 0;
        return { state: { phase: done ? { Done: null } : { Counting: null }, remaining }, done };
      },
    }),
  },
});
