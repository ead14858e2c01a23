/** The second version of safe-upgrade.ts: a second request after the first, to the same place. */
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
      state: schema.record({
        phase: schema.text(),
        statuses: schema.list(schema.nat()),
        path: schema.option(schema.text()), // cells of the first version have none
      }),
      event: schema.variant({
        Start: schema.ref("upgrade.start", start),
        Receipt: continuation.receipt,
      }),
      effects: ["http/get@1"],
      subscribe: [{ topic: "upgrade.start" }],
      step(before, event) {
        const ask = (path: string) => {
          return { effect: "http/get@1", params: { connection: "site", path } } as const;
        };
        if (event.$tag === "Start") {
          const { path } = event.$value;
          return { state: { phase: "Asking", statuses: [], path }, effects: [ask(path)] };
        }
        const path = before?.path ?? null;
        const known = before?.statuses ?? [];
        if (event.$value.status !== "ok") {
          return { state: { phase: "Failed", statuses: known, path } };
        }
        const { status } = event.$value.payload as Answer;
        const statuses = [...known, status];
        if (statuses.length > 1 || path === null) {
          return { state: { phase: "Done", statuses, path } };
        }
        return { state: { phase: "Asking again", statuses, path }, effects: [ask(path)] };
      },
    }),
  },
});
