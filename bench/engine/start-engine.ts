import { randomUUID } from "node:crypto";
import type { HostedScript, Store } from "@holdfast/core";
import { Engine, membershipPolicyDefaults, realClock, realTimers } from "@holdfast/host";
import { promptShop } from "./order-workflow.ts";

export const leaseMs = 6_000;
export const { pollMs } = membershipPolicyDefaults;

/** A whole host with real time, as the server starts it. */
export function startEngine(store: Store, load: () => Promise<HostedScript>): Promise<Engine> {
  return Engine.start({
    store,
    incarnation: `bench-${randomUUID()}`,
    leaseMs,
    capacity: 10_000,
    scripts: { load },
    outside: () => promptShop,
    clock: { now: () => Date.now() },
    monotonic: realClock,
    timers: realTimers,
    random: Math.random,
  });
}
