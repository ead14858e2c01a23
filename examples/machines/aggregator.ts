/** Three requests at once; whatever order the answers come in, the result is in the order asked. */
import { continuation, emissions, join, machine, schema, workflow } from "@holdfast/sdk";

const start = schema.record({ paths: schema.list(schema.text()) });
const topics = { "aggregate.start": { schema: start } };

const state = schema.record({
  requests: join.schema(schema.nat()),
  result: schema.list(schema.nat()),
});

export default workflow<typeof topics>({
  name: "aggregate",
  connections: { site: { connector: "http", account: "site" } },
  topics,
  machines: {
    aggregator: machine({
      state,
      event: schema.variant({
        Start: schema.ref("aggregate.start", start),
        Receipt: continuation.receipt,
      }),
      context: true,
      effects: ["http/get@1"],
      subscribe: [{ topic: "aggregate.start" }],
      step(before, event, ctx) {
        if (event.$tag === "Start") {
          const out = emissions<"http/get@1">(ctx);
          const members = event.$value.paths.map((path) => ({
            name: path,
            handle: out.emit("http/get@1", { connection: "site", path }),
          }));
          return { state: { requests: join.start(members), result: [] }, effects: out.effects };
        }
        if (before === null) return { state: null };
        // What was not answered has no status of the service: zero says so.
        const isOk = event.$value.status === "ok";
        const status = isOk ? (event.$value.payload as { status: number }).status : 0;
        const requests = join.take(before.requests, event.$value, status);
        // A receipt that is not waited for changes nothing.
        if (requests === null) return { state: before };
        const result = join.results(requests);
        return { state: { requests, result: result ?? [] }, done: result !== null };
      },
    }),
  },
});
