/** Runs phases of many scripts and prints how much memory it holds, early and at the end. */
import { Sandbox } from "../sandbox.ts";
import { answering, scriptOf, somePhase } from "./phases.ts";

const scripts = 200;
const calls = 10_000;
const early = 1_000;

const sandbox = await Sandbox.open({ threadsMax: 2 });
const loaded = await Promise.all(
  Array.from({ length: scripts }, async (_, mark) => {
    const body = `async (ctx, state) => {
      const order = await ctx.shop.getOrder({ id: ${mark} });
      await ctx.publish("orders", { messageId: "m-${mark}", text: order.text });
      return { seen: ${mark} };
    }`;
    const answer = await sandbox.load(scriptOf(`{ producers: { h: ${body} } }`));
    if (!answer.ok) throw new Error(answer.failure.message);
    return answer.script;
  }),
);

const options = answering({ text: "x".repeat(2_000) });

async function runCalls(from: number, to: number): Promise<void> {
  const each = async (first: number) => {
    for (let index = first; index < to; index += 4) {
      const script = loaded[index % scripts];
      if (script === undefined) throw new Error("no script");
      const call = { ...somePhase, phase: "producer", handler: "h", seed: String(index) } as const;
      const { result } = await sandbox.run(script, call, options);
      if (result.kind !== "returned") throw new Error(JSON.stringify(result));
    }
  };
  await Promise.all([0, 1, 2, 3].map((offset) => each(from + offset)));
}

/** What is garbage by now does not count. */
function residentBytes(): number {
  for (let round = 0; round < 3; round++) globalThis.gc?.();
  return process.memoryUsage.rss();
}

// Which thread serves what, and so has its own copy of an image, is chance at first; and threads
// collect their garbage when they like. A leak shows every time, these do not.
const levels: number[] = [];
for (let from = 0; from < calls; from += early) {
  await runCalls(from, from + early);
  levels.push(residentBytes());
}
const atFirst = Math.max(...levels.slice(0, 3));
console.log(JSON.stringify({ atFirst, atEnd: Math.min(...levels.slice(-4)) }));
await sandbox.close();
