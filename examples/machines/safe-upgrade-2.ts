/** The second version of safe-upgrade.ts: a second request after the first, to the same place. */
import { continuation, machine, schema, workflow } from "@holdfast/sdk";

const start = schema.record({ url: schema.text() });
const topics = { "upgrade.start": { schema: start } };

type Answer = { readonly status: number };

export default workflow<typeof topics>({
  name: "upgrade",
  topics,
  machines: {
    fetch: machine({
      state: schema.record({
        phase: schema.text(),
        statuses: schema.list(schema.nat()),
        url: schema.option(schema.text()), // cells of the first version have none
      }),
      event: schema.variant({
        Start: schema.ref("upgrade.start", start),
        Receipt: continuation.receipt,
      }),
      effects: ["http/get@1"],
      subscribe: [{ topic: "upgrade.start" }],
      step(before, event) {
        const ask = (url: string) => {
          return { effect: "http/get@1", params: { connection: "site", url } } as const;
        };
        if (event.$tag === "Start") {
          const { url } = event.$value;
          return { state: { phase: "Asking", statuses: [], url }, effects: [ask(url)] };
        }
        const { status } = event.$value.payload as Answer;
        const statuses = [...(before?.statuses ?? []), status];
        const url = before?.url ?? null;
        if (statuses.length > 1 || url === null) return { state: { phase: "Done", statuses, url } };
        return { state: { phase: "Asking again", statuses, url }, effects: [ask(url)] };
      },
    }),
  },
});
