/** Asks a service once, keeps what it answered, and tells others. */
import { continuation, machine, schema, workflow } from "@holdfast/sdk";

const start = schema.record({ path: schema.text() });
const fetched = schema.record({ path: schema.text(), status: schema.nat() });
const topics = {
  "fetch.start": { schema: start },
  "fetch.done": { schema: fetched, observed: true },
};

type Answer = { readonly status: number; readonly json: string };

export default workflow<typeof topics>({
  name: "fetch",
  connections: { site: { connector: "http", account: "site" } },
  topics,
  machines: {
    notify: machine({
      state: schema.record({
        phase: schema.text(),
        path: schema.text(),
        body: schema.option(schema.text()),
      }),
      event: schema.variant({
        Start: schema.ref("fetch.start", start),
        Receipt: continuation.receipt,
      }),
      effects: ["http/get@1"],
      subscribe: [{ topic: "fetch.start" }],
      step(before, event) {
        if (event.$tag === "Start") {
          const { path } = event.$value;
          const params = { connection: "site", path };
          return {
            state: { phase: "Fetching", path },
            effects: [{ effect: "http/get@1", params }],
          };
        }
        if (before === null || event.$value.status !== "ok") {
          return { state: { phase: "Failed", path: before?.path ?? "" }, done: true };
        }
        const { status, json: body } = event.$value.payload as Answer;
        return {
          state: { ...before, phase: "Done", body },
          events: [{ topic: "fetch.done", payload: { path: before.path, status } }],
          done: true,
        };
      },
    }),
  },
});
