/** Sets a timer and is done when it fires. */
import { continuation, deadline, emissions, machine, schema, workflow } from "@holdfast/sdk";

const start = schema.record({ afterMs: schema.nat() });
const topics = { "hello.start": { schema: start } };

export default workflow<typeof topics>({
  name: "hello",
  topics,
  machines: {
    timer: machine({
      state: schema.record({ phase: schema.text(), firedAtNs: schema.option(schema.time()) }),
      event: schema.variant({
        Start: schema.ref("hello.start", start),
        Receipt: continuation.receipt,
      }),
      context: true,
      effects: ["sys/timer.set@1"],
      subscribe: [{ topic: "hello.start" }],
      step(before, event, ctx) {
        if (event.$tag === "Start") {
          const out = emissions<"sys/timer.set@1">(ctx);
          const at = deadline.after(ctx, event.$value.afterMs);
          out.emit("sys/timer.set@1", { deliver_at_ns: at, key: "hello" });
          return { state: { phase: "Waiting" }, effects: out.effects };
        }
        if (before === null || event.$value.status !== "ok") {
          return { state: { phase: "Failed" }, done: true };
        }
        return { state: { phase: "Done", firedAtNs: ctx.logicalNowNs }, done: true };
      },
    }),
  },
});
