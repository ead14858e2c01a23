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

await runCalls(0, early);
const atFirst = residentBytes();
// The threads collect their garbage when they like: a leak shows every time, garbage does not.
const late: number[] = [];
for (let from = early; from < calls; from += early) {
  await runCalls(from, from + early);
  if (from >= calls - 4 * early) late.push(residentBytes());
}
console.log(JSON.stringify({ atFirst, atEnd: Math.min(...late) }));
await sandbox.close();
