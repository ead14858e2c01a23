/** Plays the hostile scripts again and again; prints what the process holds after each pass. */
import { hostileSet } from "../hostile/hostile-set.ts";
import { hostileLimits, isEndless, play } from "../hostile/play.ts";
import { Sandbox } from "../sandbox.ts";

const passes = 3;
const sandbox = await Sandbox.open({
  threadsMax: 2,
  limits: hostileLimits,
  imageBytesMax: 8_388_608,
});

/** Those that only wait for a limit would make this long, and hold no more than others. */
const scripts = Object.values(hostileSet)
  .flat()
  .filter((script) => !isEndless(script));

const residentBytes: number[] = [];
for (let pass = 0; pass < passes; pass++) {
  const left = [...scripts];
  const hand = async () => {
    for (let script = left.pop(); script !== undefined; script = left.pop()) {
      await play(sandbox, script);
    }
  };
  await Promise.all([hand(), hand()]);
  for (let round = 0; round < 3; round++) globalThis.gc?.();
  residentBytes.push(process.memoryUsage.rss());
}
console.log(JSON.stringify(residentBytes));
await sandbox.close();
