import { serve } from "@hono/node-server";
import { Hono } from "hono";

/** A route that does nothing but answer these bytes, in a process of its own. */
const answer: unknown = JSON.parse(process.env["BENCH_ANSWER"] ?? "null");
const app = new Hono();
app.get("/api/v1/workflows/:workflow/runs/:runId", (context) => context.json(answer as object));
const server = serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 }, ({ port }) => {
  console.log(`http://127.0.0.1:${port}`);
});
process.once("SIGTERM", () => server.close());
