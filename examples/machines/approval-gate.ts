/** Two requests per piece of work; the second goes out only when a person has approved. */
import { continuation, machine, schema, workflow } from "@holdfast/sdk";

const start = schema.record({ workId: schema.text() });
const approved = schema.record({ workId: schema.text() });
const topics = { "work.start": { schema: start }, "work.approved": { schema: approved } };

const state = schema.record({
  phase: schema.text(),
  isApproved: schema.bool(),
  answers: schema.nat(),
});

const request = (workId: string, part: string) => ({
  effect: "http/get@1" as const,
  params: { connection: "site", path: `/${workId}/${part}` },
});

export default workflow<typeof topics>({
  name: "gate",
  connections: { site: { connector: "http", account: "site" } },
  topics,
  machines: {
    work: machine({
      state,
      event: schema.variant({
        Start: schema.ref("work.start", start),
        Approved: schema.ref("work.approved", approved),
        Receipt: continuation.receipt,
      }),
      key: schema.text(),
      effects: ["http/get@1"],
      subscribe: [
        { topic: "work.start", key: "workId" },
        { topic: "work.approved", key: "workId" },
      ],
      step(before, event, ctx) {
        switch (event.$tag) {
          case "Start":
            return {
              state: { phase: "Asked", isApproved: false, answers: 0 },
              effects: [request(ctx.key, "check")],
            };
          case "Approved":
            if (before === null || before.isApproved) return { state: before };
            if (before.phase === "Failed") return { state: before, done: true };
            return {
              state: { ...before, isApproved: true, phase: "Released" },
              effects: [request(ctx.key, "do")],
            };
          case "Receipt": {
            if (before === null) return { state: null };
            // An error, a timeout or what a person gave up is no answer: the work ends with it.
            if (before.phase === "Failed" || event.$value.status !== "ok") {
              return { state: { ...before, phase: "Failed" }, done: true };
            }
            const answers = before.answers + 1;
            const done = answers === 2;
            return { state: { ...before, answers, phase: done ? "Done" : before.phase }, done };
          }
        }
      },
    }),
  },
});
