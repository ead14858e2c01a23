/** A long command outside, with progress on the way. */
import { continuation, machine, schema, workflow } from "@holdfast/sdk";

const start = schema.record({ command: schema.text() });
const topics = { "exec.start": { schema: start } };

export default workflow<typeof topics>({
  name: "exec",
  connections: { builder: { connector: "host", account: "builder" } },
  topics,
  machines: {
    runner: machine({
      state: schema.record({
        phase: schema.text(),
        progressCount: schema.nat(),
        lastSeq: schema.nat(),
        exitCode: schema.option(schema.int()),
      }),
      event: schema.variant({
        Start: schema.ref("exec.start", start),
        Frame: continuation.frame,
        Receipt: continuation.receipt,
      }),
      effects: ["host/exec@1"],
      subscribe: [{ topic: "exec.start" }],
      step(before, event) {
        if (event.$tag === "Start") {
          const params = { connection: "builder", command: event.$value.command };
          return {
            state: { phase: "Running", progressCount: 0, lastSeq: 0 },
            effects: [{ effect: "host/exec@1", params }],
          };
        }
        if (before === null) return { state: null };
        if (event.$tag === "Frame") {
          const progressCount = before.progressCount + 1;
          return { state: { ...before, progressCount, lastSeq: event.$value.seq } };
        }
        if (event.$value.status !== "ok") {
          return { state: { ...before, phase: "Failed" }, done: true };
        }
        const { exit_code: exitCode } = event.$value.payload as { exit_code: number };
        return { state: { ...before, phase: "Done", exitCode }, done: true };
      },
    }),
  },
});
