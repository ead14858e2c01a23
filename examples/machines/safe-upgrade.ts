/** Asks once and is done. Its next version, safe-upgrade-2.ts, asks twice: it waits its turn. */
import { continuation, machine, schema, workflow } from "@holdfast/sdk";

const start = schema.record({ path: schema.text() });
const topics = { "upgrade.start": { schema: start } };

type Answer = { readonly status: number };

export default workflow<typeof topics>({
  name: "upgrade",
  connections: { site: { connector: "http", account: "site" } },
  topics,
  machines: {
    fetch: machine({
      state: schema.record({ phase: schema.text(), statuses: schema.list(schema.nat()) }),
      event: schema.variant({
        Start: schema.ref("upgrade.start", start),
        Receipt: continuation.receipt,
      }),
      effects: ["http/get@1"],
      subscribe: [{ topic: "upgrade.start" }],
      step(before, event) {
        if (event.$tag === "Start") {
          const params = { connection: "site", path: event.$value.path };
          const state = { phase: "Asking", statuses: [] };
          return { state, effects: [{ effect: "http/get@1", params }] };
        }
        const statuses = before?.statuses ?? [];
        if (event.$value.status !== "ok") return { state: { phase: "Failed", statuses } };
        const { status } = event.$value.payload as Answer;
        return { state: { phase: "Done", statuses: [...statuses, status] } };
      },
    }),
  },
});
