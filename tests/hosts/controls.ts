/**
 * Hosts and stores that are broken on purpose: the checks must see each of them, and must be
 * silent about the same scene without the breakage.
 */
import type { TestServer } from "@holdfast/store/testing/postgres";
import type { Breakage } from "./child-options.ts";
import { Cluster } from "./cluster.ts";
import type { Hook } from "./hooks.ts";
import type { HostProcess } from "./host-process.ts";

const leaseMs = 2_000;
const few = { workflowCount: 6, periodMs: 300, leaseMs, restEvery: 0 };

type Scene = { readonly hook: Hook; readonly breakage: Breakage | null };

/**
 * Everything is owned by one host, which is stopped until another, that only claims, has it all;
 * then it goes on until it has noticed. What the history says about it.
 */
export async function overtake(
  url: string,
  scene: Scene,
): Promise<{ readonly problems: readonly string[]; readonly refusedCount: number }> {
  const cluster = await Cluster.open({ ...few, url });
  const { history } = cluster;
  try {
    const victim = await stopOwner(cluster, scene);
    const { words } = victim;
    const owned = new Map(words.held);
    cluster.startHost({ work: "owns" });
    await history.until("another has it all", () => history.areTaken(owned));
    const answeredCount = words.committedCount + words.refusedCount;
    await victim.goOn();
    const isAnswered = () => words.committedCount + words.refusedCount > answeredCount;
    if (scene.hook === "before commit") await history.until("its commit is answered", isAnswered);
    await history.until("it notices", () => words.lostCount > 0);
    await cluster.killAll();
    const { problems, refusedCount } = cluster.checkHistory();
    return { problems: [...problems, ...(await cluster.checkQuiet())], refusedCount };
  } finally {
    await cluster.close();
  }
}

/**
 * A host that stands at the hook as the owner of everything. On a very busy machine one may lose
 * its lease before it comes there; then another tries.
 */
async function stopOwner(cluster: Cluster, { hook, breakage }: Scene): Promise<HostProcess> {
  for (;;) {
    const host = cluster.startHost({ breakage });
    const { words } = host;
    const isOwner = () => words.held.size === few.workflowCount;
    await cluster.history.until("it owns everything", () => isOwner() || words.lostCount > 0);
    host.tell({ kind: "stop_at", hook });
    await cluster.history.until("it is stopped", () => words.stoppedAt === hook);
    if (isOwner() && words.lostCount === 0) return host;
    await cluster.kill(host);
  }
}

/** A commit is acknowledged while the server stands still, and then dies. What is found amiss. */
export async function acknowledgeEarly(server: TestServer, url: string): Promise<string[]> {
  const cluster = await Cluster.open({ ...few, url });
  const { history } = cluster;
  try {
    const host = cluster.startHost({ breakage: "ack-before-commit" });
    const { words } = host;
    host.tell({ kind: "stop_at", hook: "before commit" });
    await history.until("it is about to commit", () => words.stoppedAt !== null);
    server.pause();
    const { committedCount } = words;
    await host.goOn();
    await history.until("it lies", () => words.committedCount > committedCount);
    await cluster.kill(host);
    await server.kill();
    await server.restart();
    return await cluster.checkLive();
  } finally {
    await cluster.close();
  }
}
