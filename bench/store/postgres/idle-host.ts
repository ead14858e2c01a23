import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { invariant, type Store } from "@holdfast/core";
import {
  Membership,
  type MembershipListener,
  membershipPolicyDefaults,
  realClock,
  realTimers,
} from "@holdfast/host";
import { CuttingProxy } from "@holdfast/store/testing/postgres";
import { openBenchPostgres } from "./bench-server.ts";
import { countIdle, type IdleCount } from "./count-idle.ts";

const leaseMs = 6_000;
const { pollMs } = membershipPolicyDefaults;
/** Until the looks that belong to joining are over. */
const settleMs = 2.5 * pollMs;

/**
 * What a host that has nothing to do asks of the server, counted where it goes over the wire: so
 * nothing that is sent can be forgotten.
 */
export async function countIdleStatements(url: string, windowMs: number): Promise<IdleCount> {
  const proxy = await CuttingProxy.start(url);
  const store = await openBenchPostgres(proxy.url());
  try {
    return await withIdleHost(store, () => countRequests(proxy, windowMs));
  } finally {
    await store.close();
    await proxy.stop();
  }
}

async function countRequests(proxy: CuttingProxy, windowMs: number): Promise<IdleCount> {
  await sleep(settleMs);
  const [requestsBefore, connectionsBefore] = [proxy.requests.length, proxy.connectionCount];
  const startedAt = performance.now();
  await sleep(windowMs);
  return countIdle({
    ms: performance.now() - startedAt,
    leaseMs,
    pollMs,
    sql: proxy.requests.slice(requestsBefore).map(({ sql }) => sql),
    connectionCount: proxy.connectionCount - connectionsBefore,
  });
}

/** The one place that knows how a host joins. */
async function withIdleHost<T>(store: Store, use: () => Promise<T>): Promise<T> {
  const troubles: string[] = [];
  const membership = await Membership.join({
    store,
    incarnation: `idle-${randomUUID()}`,
    leaseMs,
    capacity: Number.MAX_SAFE_INTEGER,
    clock: realClock,
    timers: realTimers,
    listener: reportTo((what) => troubles.push(what)),
  });
  try {
    const answer = await use();
    invariant(troubles.length === 0, `nothing happens to an idle host: ${troubles.join()}`);
    return answer;
  } finally {
    await membership.leave();
  }
}

function reportTo(report: (what: string) => void): MembershipListener {
  return {
    onClaim: ({ workflow }) => report(`claimed ${workflow}`),
    onWake: (workflow) => report(`woken for ${workflow}`),
    mayHandOver: () => false,
    onHandOver: (workflow) => report(`handed over ${workflow}`),
    onTooNew: (workflows) => report(`too new: ${workflows}`),
    onTrouble: ({ doing, cause }) => report(`${doing}: ${cause}`),
    onLost: ({ kind }) => report(kind),
  };
}
