import { afterAll, beforeAll, expect, test } from "vitest";
import { type LoadedScript, Sandbox } from "../sandbox.ts";
import { answering, scriptOf, somePhase } from "../testing/phases.ts";

const runningMsMax = 300;
/** What a hung script may take beyond its limit. */
const lateMsMax = 100;

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await Sandbox.open({ threadsMax: 1, limits: { runningMsMax } });
});
afterAll(() => sandbox.close());

async function load(body: string): Promise<LoadedScript> {
  const definition = `{ consumers: { h: { prepare: async (ctx) => { ${body} } } } }`;
  const loaded = await sandbox.load(scriptOf(definition));
  if (!loaded.ok) throw new Error(loaded.failure.message);
  return loaded.script;
}

async function run(script: LoadedScript) {
  const startedAt = performance.now();
  const call = { ...somePhase, phase: "prepare", handler: "h" } as const;
  const { result } = await sandbox.run(script, call, answering(null));
  return { result, ms: performance.now() - startedAt };
}

test.each([
  ["a builtin that never looks up", `"a".repeat(400000).indexOf("a".repeat(200000) + "b");`],
  ["a regular expression", "/^(a+)+$/.test('a'.repeat(40) + 'b');"],
  ["a loop", "for (;;);"],
  ["jobs without end", "for (;;) await 0;"],
])("[R115] [R132] %s is gone within its limit and 100 ms", async (_, body) => {
  const late: number[] = [];
  // The machine may be busy with others; what counts is what the sandbox itself takes.
  for (let round = 0; round < 5; round++) {
    const { result, ms } = await run(await load(body));
    expect(result).toMatchObject({ failure: { code: "SCRIPT_RUNNING_TIME" } });
    late.push(ms - runningMsMax);
    if (ms - runningMsMax <= lateMsMax) return;
  }
  expect.fail(`late by ${late.map(Math.round).join(", ")} ms`);
});

test("[R115] a script that was done in time is not blamed for a late host", async () => {
  const script = await load("return 1;");
  await run(script);
  // From here the host looks at its timers before it looks for answers.
  await new Promise(setImmediate);
  const running = run(script);
  // So far that the thread has its request, not so far that its answer could be heard.
  for (let turn = 0; turn < 50; turn++) await null;
  const blockedUntil = performance.now() + runningMsMax * 2;
  while (performance.now() < blockedUntil);
  expect((await running).result).toEqual({ kind: "returned", value: "1" });
});
