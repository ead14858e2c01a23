/**
 * One look per place, within five seconds. It keeps how it failed and goes on: `machine trace` and
 * `machine diagnose` tell a service that said no from one that nobody got to in time.
 */
import { continuation, machine, schema, workflow } from "@holdfast/sdk";

const start = schema.record({ id: schema.text(), path: schema.text() });
const topics = { "look.start": { schema: start } };

const withinMs = 5_000;

export default workflow<typeof topics>({
  name: "looks",
  connections: { site: { connector: "http", account: "site" } },
  topics,
  machines: {
    look: machine({
      state: schema.record({ phase: schema.text(), why: schema.option(schema.text()) }),
      event: schema.variant({
        Start: schema.ref("look.start", start),
        Receipt: continuation.receipt,
      }),
      key: schema.text(),
      effects: ["http/get@1"],
      subscribe: [{ topic: "look.start", key: "id" }],
      step(_before, event) {
        if (event.$tag === "Start") {
          const params = { connection: "site", path: event.$value.path };
          const effects = [{ effect: "http/get@1", params, deadlineMs: withinMs }] as const;
          return { state: { phase: "Looking", why: null }, effects };
        }
        const { status, payload } = event.$value;
        if (status === "ok") return { state: { phase: "Seen", why: null }, done: true };
        // What a person gave up has nothing to say.
        if (status === "skipped") return { state: { phase: "Failed", why: status } };
        const { code } = payload as { readonly code: string };
        return { state: { phase: "Failed", why: `${status}: ${code}` } };
      },
    }),
  },
});
