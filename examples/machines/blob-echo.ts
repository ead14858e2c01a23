/** Puts bytes away and gets them back by their hash. */
import { continuation, machine, schema, workflow } from "@holdfast/sdk";

const start = schema.record({ bytes: schema.bytes() });
const topics = { "blob.start": { schema: start } };

const state = schema.record({
  phase: schema.text(),
  storedRef: schema.option(schema.hash()),
  edgeRef: schema.option(schema.hash()),
  gotRef: schema.option(schema.hash()),
});

type Stored = { readonly blob_ref: string; readonly edge_ref: string };
type Got = { readonly blob_ref: string };

export default workflow<typeof topics>({
  name: "blobs",
  topics,
  machines: {
    echo: machine({
      state,
      event: schema.variant({
        Start: schema.ref("blob.start", start),
        Receipt: continuation.receipt,
      }),
      effects: ["sys/blob.put@1", "sys/blob.get@1"],
      subscribe: [{ topic: "blob.start" }],
      step(before, event) {
        if (event.$tag === "Start") {
          const params = { bytes: event.$value.bytes };
          return { state: { phase: "Putting" }, effects: [{ effect: "sys/blob.put@1", params }] };
        }
        if (event.$value.status !== "ok") {
          return { state: { ...before, phase: "Failed" }, done: true };
        }
        if (before?.phase === "Putting") {
          const { blob_ref, edge_ref } = event.$value.payload as Stored;
          const stored = { storedRef: blob_ref, edgeRef: edge_ref };
          return {
            state: { ...before, ...stored, phase: "Getting" },
            effects: [{ effect: "sys/blob.get@1", params: { blob_ref } }],
          };
        }
        const { blob_ref: gotRef } = event.$value.payload as Got;
        return { state: { ...before, phase: "Done", gotRef }, done: true };
      },
    }),
  },
});
