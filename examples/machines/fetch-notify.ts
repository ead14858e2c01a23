/** Asks a service once, keeps where its answer lies, and tells others. */
import { continuation, machine, schema, workflow } from "@holdfast/sdk";

const start = schema.record({ url: schema.text() });
const fetched = schema.record({ url: schema.text(), status: schema.nat() });
const topics = {
  "fetch.start": { schema: start },
  "fetch.done": { schema: fetched, observed: true },
};

type Answer = { readonly status: number; readonly body_ref: string | null };

export default workflow<typeof topics>({
  name: "fetch",
  topics,
  machines: {
    notify: machine({
      state: schema.record({
        phase: schema.text(),
        url: schema.text(),
        bodyRef: schema.option(schema.hash()),
      }),
      event: schema.variant({
        Start: schema.ref("fetch.start", start),
        Receipt: continuation.receipt,
      }),
      effects: ["http/get@1"],
      subscribe: [{ topic: "fetch.start" }],
      step(before, event) {
        if (event.$tag === "Start") {
          const { url } = event.$value;
          const params = { connection: "site", url };
          return { state: { phase: "Fetching", url }, effects: [{ effect: "http/get@1", params }] };
        }
        if (before === null || event.$value.status !== "ok") {
          return { state: { phase: "Failed", url: before?.url ?? "" }, done: true };
        }
        const { status, body_ref: bodyRef } = event.$value.payload as Answer;
        return {
          state: { ...before, phase: "Done", bodyRef },
          events: [{ topic: "fetch.done", payload: { url: before.url, status } }],
          done: true,
        };
      },
    }),
  },
});
