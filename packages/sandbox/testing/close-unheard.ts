/** Closes sandboxes that were asked something, while the answer comes in, and says that it did. */
import { Sandbox } from "../sandbox.ts";
import { scriptOf } from "./phases.ts";

// When the answer lies there depends on the machine: too early and too late prove nothing.
for (let blockedMs = 1; blockedMs <= 64; blockedMs *= 2) {
  const closing = await Sandbox.open({ threadsMax: 1 });
  await closing.load(scriptOf("{ producers: {} }"));
  closing.load(scriptOf("{ consumers: {} }")).catch(() => {});
  await new Promise(setImmediate);
  for (const until = performance.now() + blockedMs; performance.now() < until; );
  await closing.close();
}
console.log("closed");
