/** Tries a service up to three times and waits on timers in between; time and receipts drive it. */
import {
  type Backoff,
  continuation,
  deadline,
  emissions,
  machine,
  retry,
  schema,
  workflow,
} from "@holdfast/sdk";

const start = schema.record({ path: schema.text() });
const topics = { "retry.start": { schema: start } };
const backoff: Backoff = { attemptsMax: 3, firstMs: 10 };

const state = schema.record({
  phase: schema.text(),
  path: schema.text(),
  attempt: schema.nat(),
  timers: schema.nat(),
});

type Names = "http/get@1" | "sys/timer.set@1";

export default workflow<typeof topics>({
  name: "retries",
  connections: { site: { connector: "http", account: "site" } },
  topics,
  machines: {
    caller: machine({
      state,
      event: schema.variant({
        Start: schema.ref("retry.start", start),
        Receipt: continuation.receipt,
      }),
      context: true,
      effects: ["http/get@1", "sys/timer.set@1"],
      subscribe: [{ topic: "retry.start" }],
      step(before, event, ctx) {
        const out = emissions<Names>(ctx);
        if (event.$tag === "Start") {
          const { path } = event.$value;
          out.emit("http/get@1", { connection: "site", path });
          const begun = { phase: "Calling", path, attempt: 1, timers: 0 };
          return { state: begun, effects: out.effects };
        }
        if (before === null) return { state: null };
        const isOk = event.$value.status === "ok";
        if (event.$value.effect === "sys/timer.set@1") {
          // Whoever took the timer back does not want another try.
          if (!isOk) return { state: { ...before, phase: "GaveUp" }, done: true };
          out.emit("http/get@1", { connection: "site", path: before.path });
          return { state: { ...before, phase: "Calling" }, effects: out.effects };
        }
        if (isOk) return { state: { ...before, phase: "Done" }, done: true };
        const next = retry.next(before.attempt, backoff);
        if (next === null) return { state: { ...before, phase: "GaveUp" }, done: true };
        out.emit("sys/timer.set@1", { deliver_at_ns: deadline.after(ctx, next.waitMs) });
        const waiting = { phase: "Waiting", attempt: next.attempt, timers: before.timers + 1 };
        return { state: { ...before, ...waiting }, effects: out.effects };
      },
    }),
  },
});
