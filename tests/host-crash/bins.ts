/**
 * Many cells beside the orders, so that a snapshot is kept in pieces: each filling changes some of
 * them, and parts are collected between any two. Torn off anywhere, it goes on.
 */
import { fileURLToPath } from "node:url";
import type { HostProcess } from "../end-to-end/host-process.ts";
import type { OrderShop } from "../end-to-end/order-shop.ts";
import { machineScript } from "../end-to-end/story.ts";

/** With a time of grace that leaves pieces their time, and room for what has changed. */
export const piecesPolicy = fileURLToPath(new URL("./pieces-policy.json", import.meta.url));

const fillings = 24;
const binsEach = 20;
/** Less than there are in a filling: some change again while a snapshot has them already. */
const apart = 15;

/** Fillings follow one another without a rest, or the owner would go and take its pieces along. */
const machines = `
    filler: machine({
      state: schema.record({ at: schema.nat() }),
      event: schema.variant({
        Asked: schema.ref("fill.asked", fill),
        Receipt: continuation.receipt,
      }),
      effects: ["http/get@1"],
      subscribe: [{ topic: "fill.asked" }],
      step(before, event) {
        const wasRead = event.$tag === "Receipt" && event.$value.status === "ok";
        const at = Number(before?.at ?? 0) + (wasRead ? 1 : 0);
        if (at === fillings) return { state: { at }, done: true };
        const params = { connection: "shop", path: "/bins/" + at };
        const effects = [{ effect: "http/get@1", params }] as const;
        if (event.$tag === "Receipt" && !wasRead) return { state: { at }, effects };
        const events = Array.from({ length: binsEach }, (_, bin) => {
          return { topic: "bin.filled", payload: { bin: "b-" + (at * apart + bin) } } as const;
        });
        return { state: { at }, events, effects };
      },
    }),
    bin: machine({
      state: schema.record({ bin: schema.text(), count: schema.nat() }),
      event: schema.variant({ Filled: schema.ref("bin.filled", bin) }),
      key: schema.text(),
      effects: [],
      subscribe: [{ topic: "bin.filled", key: "bin" }],
      step(before, event) {
        const { bin } = event.$value;
        return { state: { bin, count: Number(before?.count ?? 0) + 1 } };
      },
    }),
`;

export const binScript = machineScript
  .replace(
    "const topics = {",
    `$&\n  "fill.asked": { schema: fill },\n  "bin.filled": { schema: bin },`,
  )
  .replace(
    "const topics",
    `const [fillings, binsEach, apart] = [${fillings}, ${binsEach}, ${apart}];
const fill = schema.record({ name: schema.text() });
const bin = schema.record({ bin: schema.text() });
$&`,
  )
  .replace("machines: {", `$&${machines}`);

/** The next version says who made a bin, too: every one is written otherwise. */
export function renewBins(script: string): string {
  return script
    .replace(
      "schema.record({ bin: schema.text(), count: schema.nat() }),",
      `schema.record({ bin: schema.text(), count: schema.nat(), madeBy: schema.text() }),
      migrate: (state) => {
        return { ...(state as { bin: string; count: number }), madeBy: "the first" };
      },`,
    )
    .replace(
      "return { state: { bin, count: Number(before?.count ?? 0) + 1 } };",
      `const madeBy = before?.madeBy ?? "the second";
        return { state: { bin, count: Number(before?.count ?? 0) + 1, madeBy } };`,
    );
}

const path = "/workflows/orders/machines";
const patienceMs = 120_000;

/** What collecting said between two fillings. */
type Collected = { readonly snapshots: number; readonly unreachable: number };

/**
 * Has all bins filled, and says what collecting found between any two fillings: where every
 * snapshot is kept, what none of them names is a piece of the next.
 */
export async function fillBins(host: HostProcess, shop: OrderShop): Promise<readonly Collected[]> {
  const found: Collected[] = [];
  // Without any snapshot nothing is collected.
  await host.api("POST", `${path}/snapshot`, {});
  shop.onRead = async (read) => {
    if (!read.startsWith("/bins/")) return;
    const collected = host.api<Collected>("POST", `${path}/gc`, { isDryRun: false });
    // A host that dies of it asks for no answer.
    await collected.then((each) => found.push(each)).catch(() => {});
  };
  const payload = { name: "all" };
  const body = { topic: "fill.asked", messageId: "f-1", payload, title: "Fill all" };
  await host.api("POST", "/workflows/orders/commands", { kind: "publish_event", body });
  await untilFilled(host, (fillings - 1) * apart + binsEach);
  return found;
}

type Machines = {
  readonly items: readonly { readonly machine: string; readonly cells: number }[];
};
type Questions = { readonly items: readonly { readonly kind: string }[] };

async function untilFilled(host: HostProcess, count: number): Promise<void> {
  const until = performance.now() + patienceMs;
  while (performance.now() < until) {
    const { items } = await host.api<Machines>("GET", path);
    const bins = items.find(({ machine }) => machine.includes("/bin@"));
    if ((bins?.cells ?? 0) >= count) return;
    const open = await host.api<Questions>("GET", "/workflows/orders/attention?status=open");
    const stop = open.items.find(({ kind }) => kind === "action_needed");
    if (stop !== undefined) throw new Error(`it stopped: ${JSON.stringify(stop)}`);
    await new Promise((resume) => setTimeout(resume, 10));
  }
  throw new Error(`there are not ${count} bins after ${patienceMs} ms`);
}

/** Every bin was filled as often as was asked for, whatever died on the way. */
export async function binProblems(host: HostProcess): Promise<readonly string[]> {
  const expected = new Map<string, number>();
  for (let at = 0; at < fillings; at++) {
    for (let bin = at * apart; bin < at * apart + binsEach; bin++) {
      expected.set(`b-${bin}`, (expected.get(`b-${bin}`) ?? 0) + 1);
    }
  }
  const problems: string[] = [];
  for (const [bin, count] of expected) {
    const query = new URLSearchParams({ machine: "bin", key: JSON.stringify(bin) });
    const { state } = await host.api<{ state: unknown }>("GET", `${path}/state?${query}`);
    const { count: found, madeBy } = Object(state) as { count?: unknown; madeBy?: unknown };
    if (Number(found) !== count || typeof madeBy !== "string") {
      problems.push(`${bin} is ${JSON.stringify(state)}, filled ${count} times`);
    }
  }
  return problems;
}

/** A life without pieces would try nothing. */
export function pieceProblems(found: readonly Collected[]): readonly string[] {
  const pieces = found.filter((each, at) => {
    const before = found[at - 1];
    return before?.snapshots === each.snapshots && each.unreachable > before.unreachable;
  });
  const said = found.map(({ snapshots, unreachable }) => `${snapshots}/${unreachable}`).join(" ");
  return pieces.length >= 2 ? [] : [`no snapshot was kept in pieces: ${said}`];
}
