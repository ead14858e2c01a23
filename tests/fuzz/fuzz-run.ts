import { readFileSync } from "node:fs";
import type { HostProcess } from "../end-to-end/host-process.ts";
import { bearer, knock } from "../end-to-end/knock.ts";
import type { OwnHost } from "../end-to-end/own-host.ts";
import { type Answer, type Asked, type FuzzReport, fuzzApi } from "./fuzz-api.ts";

/** Stands in everything of the workflow that one of the tokens does not reach. */
const hidden = "HIDDEN-FROM-ORDERS";

function source(name: string) {
  const text = `
import { workflow } from "@holdfast/sdk";
export default workflow({
  name: "${name}",
  topics: { things: {}, seen: { observed: true } },
  producers: { poll: { manual: true, publishes: ["things"], handler: async () => {} } },
  consumers: {
    work: {
      subscribe: ["things"], publishes: ["seen"],
      prepare: async () => ({ reservations: [], data: {} }),
      next: async () => undefined,
    },
  },
});`;
  return { entry: "script.ts", files: { "script.ts": text } };
}

export type FuzzEnd = FuzzReport & { readonly grownMiB: number; readonly residentMiB: number };

/** Two workflows, tokens of every reach, then requests of every kind. */
export async function fuzzHost(
  own: OwnHost,
  {
    count,
    seed,
    warmUp,
  }: { readonly count: number; readonly seed: number; readonly warmUp: number },
): Promise<FuzzEnd> {
  const { host, url } = await own.start();
  const admin = await own.makeToken("root-of-all", "admin");
  const viewer = await own.makeToken("looker", "viewer");
  const within = await own.makeToken("within", "admin", "--workflows", "orders");
  await fill(url, admin);
  const judge = ({ token }: Asked, { status, text, code }: Answer): string | null => {
    if (status >= 500) return `${status} ${text.slice(0, 300)}`;
    if (token === within && text.includes(hidden)) return "it tells of another workflow";
    // A request that is no HTTP never gets to a route, so it has no code.
    if (status >= 400 && code === "" && status !== 400 && status !== 431)
      return `${status} no code`;
    return null;
  };
  const names = ["orders", "hidden", "things", "seen", "r1", "r5", "m3", "a4", "o-1", "work"];
  const tokens = [admin, admin, viewer, within, within, null, "wrong"];
  const given = { url, tokens, names, judge };
  const first = await fuzzApi({ ...given, count: warmUp, seed: seed + 1 });
  const before = residentMiB(host);
  const report = await fuzzApi({ ...given, count: count - warmUp, seed });
  const after = residentMiB(host);
  const alive = await knock(url, { path: "/ready" });
  const faults = [...first.faults, ...report.faults];
  if (alive.status !== 200) faults.push(`afterwards it is not ready: ${alive.text}`);
  const statuses = { ...report.statuses };
  for (const [status, seen] of Object.entries(first.statuses)) {
    statuses[Number(status)] = (statuses[Number(status)] ?? 0) + seen;
  }
  return { faults, statuses, grownMiB: after - before, residentMiB: after };
}

async function fill(url: string, token: string): Promise<void> {
  const post = async (path: string, body: object) => {
    const given = { method: "POST", path: `/api/v1${path}`, headers: bearer(token) };
    const { status, text } = await knock(url, { ...given, body: JSON.stringify(body) });
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
  };
  for (const name of ["orders", "hidden"]) {
    await post("/versions", { source: source(name) });
    for (const id of ["o-1", "o-2"]) {
      const title = name === "hidden" ? hidden : "in sight";
      const body = { topic: "things", messageId: id, payload: { title }, title };
      await post(`/workflows/${name}/commands`, { kind: "publish_event", body });
    }
  }
}

function residentMiB({ child }: HostProcess): number {
  const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024;
}
