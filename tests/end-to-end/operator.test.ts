import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import {
  HostProcess,
  newFolder,
  runOffline,
  type StartOptions,
  type StorePlace,
  verifyFull,
  writeAccounts,
} from "./host-process.ts";
import { type Mood, OrderShop } from "./order-shop.ts";
import { patiently, writePatientConnector } from "./patient-connector.ts";
import { places } from "./stores.ts";
import { script } from "./story.ts";

const folder = newFolder();
const plain = ["plain-1", "plain-2", "plain-3", "plain-4", "plain-5", "plain-6"];
/** What is ordered where, one after the other; what becomes of it is in the name. */
const orders: Readonly<Record<string, readonly string[]>> = {
  north: ["edit-1", ...plain, "lost-1", "bad-1", "auth-1"],
  east: ["no-1", ...plain, "dead-1"],
  south: [...plain, "lost-1", "edit-1", "stop-1", "bad-1"],
  west: ["dead-1", ...plain, "no-1", "edit-1"],
  up: [...plain, "bad-1", "no-1", "lost-1"],
  down: ["lost-1", "dead-1", ...plain, "edit-1"],
  // Was there before the store was restored; one of them was booked in the time that is forgotten.
  old: ["known-1", "plain-1"],
  // Three hosts die over it.
  loop: ["plain-1"],
  // Nobody waits for the first any more when the shop books it; the second meets the brake.
  late: ["slow-1", "plain-1"],
};
const workflows = Object.keys(orders);
const smallAtFirst = 4;

/** Large orders are asked about; small ones share a budget, which is too small at first. */
function grantsOf(small: number): readonly object[] {
  const limits = [{ per: "day", count: small, of: "small" }];
  const allow = { say: "allow", where: [{ at: "/body/sum", max: 100 }], limits };
  const ask = { say: "ask", where: [{ at: "/body/sum", min: 101 }] };
  return [allow, ask].map((each) => ({ operation: "shop.post", ...each }));
}

function grantsFile(small: number): string {
  const path = join(folder, `grants-${small}.json`);
  writeFileSync(path, JSON.stringify(grantsOf(small)));
  return path;
}

function sumOf(id: string): number {
  if (id.startsWith("edit")) return 5_000;
  return /^(?:plain|no|stop)/.test(id) ? 500 : 5;
}

function addAccount(accountsFile: string, account: object): void {
  const known = JSON.parse(readFileSync(accountsFile, "utf8")) as object;
  writeFileSync(accountsFile, JSON.stringify({ ...known, ...account }));
}

/** Only the first time; after that the shop is as it should be. */
function troubles(): (applied: number, order: { readonly id: string }) => Mood {
  const moods: Readonly<Record<string, Mood>> = {
    lost: "drops the answer",
    dead: "dies",
    bad: "refuses",
    auth: "signs out",
    slow: "books late",
  };
  const met = new Set<string>();
  return (_, { id }) => {
    if (met.has(id)) return "answers";
    met.add(id);
    return moods[id.split(" ")[1]?.split("-")[0] ?? ""] ?? "answers";
  };
}

type Question = {
  readonly workflow: string;
  readonly attentionId: string;
  readonly kind: string;
  readonly note: string;
  readonly call: {
    readonly params: { readonly body: { readonly id: string; readonly sum: number } };
  } | null;
};

type Group = { readonly digest: string; readonly items: readonly Question[] };

/** Knows what is wanted of each order, looks at the shop, and has nothing but commands. */
class Operator {
  readonly #host: HostProcess;
  readonly #shop: OrderShop;
  readonly kinds = new Map<string, number>();

  constructor(host: HostProcess, shop: OrderShop) {
    this.#host = host;
    this.#shop = shop;
  }

  async say(...words: readonly string[]): Promise<string> {
    const { code, out } = await this.#host.holdfast(...words);
    expect([words.join(" "), code, out]).toEqual([words.join(" "), 0, out]);
    return out;
  }

  async answer(open: readonly Question[]): Promise<void> {
    const alone = open.filter((each) => !this.#isAgreeable(each));
    await Promise.all(alone.map((each) => this.#answerOne(each)));
    if (alone.length === open.length) return;
    const shown = await this.say("approve-all", "shop.post", "--json");
    const { groups } = JSON.parse(shown) as { groups: readonly Group[] };
    for (const group of groups) await this.#agree(group);
  }

  async #agree({ digest, items }: Group): Promise<void> {
    // What has come up meanwhile is looked at the next time.
    if (!items.every((each) => this.#isAgreeable(each))) return;
    const these = ["approve-all", "shop.post", "--these", digest];
    const { code, out } = await this.#host.holdfast(...these);
    // One more has come up since: nothing was agreed to, and all of them are looked at again.
    const isStale = out.includes(`is not what was shown with ${digest}; nothing was agreed to`);
    expect([code, out]).toEqual([isStale ? 2 : 0, out]);
    if (isStale) return;
    for (const each of items) this.#count(each, "approve");
  }

  #count({ kind }: Question, answer: string): void {
    const name = `${kind} ${answer}`;
    this.kinds.set(name, (this.kinds.get(name) ?? 0) + 1);
  }

  #isAgreeable({ kind, call }: Question): boolean {
    const { id = "", sum = 0 } = call?.params.body ?? {};
    return kind === "approval" && sum <= 500 && !/ (?:no|stop)-/.test(id);
  }

  async #answerOne(question: Question): Promise<void> {
    const { workflow, attentionId, kind, note, call } = question;
    const { id = "", sum = 0 } = call?.params.body ?? {};
    const about = [workflow, attentionId];
    if (kind === "outcome_unknown" && id.includes(" slow-")) {
      await this.#goOnWithout(question);
    } else if (kind === "happened_after_all") {
      this.#count(question, "acknowledge");
      await this.say("answer", ...about, "acknowledge");
    } else if (kind === "outcome_unknown") {
      const happened = this.#shop.counts.has(id);
      const result = JSON.stringify({ status: 200, body: { number: 1 } });
      this.#count(question, happened ? "happened" : "did_not_happen");
      if (happened) await this.say("answer", ...about, "happened", "--result", result);
      else await this.say("answer", ...about, "did_not_happen");
    } else if (kind === "run_failed") {
      this.#count(question, "retry");
      await this.say("answer", ...about, "retry");
    } else if (kind === "ledger_may_be_older_than_world") {
      this.#count(question, "continue");
      await this.say("answer", ...about, "continue");
      // The other one did not stand still because somebody wanted it to.
      if (workflow === "old") await this.say("workflow", "resume", workflow);
    } else if (kind === "crash_loop") {
      this.#count(question, "resume");
      await this.say("answer", ...about, "resume");
    } else if (kind === "may_have_happened") {
      await this.#sayOfForgotten(question, id);
    } else if (note.startsWith("auth")) {
      this.#count(question, "sign-in");
      await this.say("connect", "resume", "shop");
    } else if (note.startsWith("brake")) {
      this.#count(question, "brake");
      await this.say("brake", "off", workflow, "shop.post");
    } else if (kind === "action_needed") {
      this.#count(question, note.startsWith("budget") ? "budget" : "grant");
      const small = note.startsWith("budget") ? 100 : smallAtFirst;
      await this.say("grants", "set", workflow, "--file", grantsFile(small));
    } else if (sum > 500) {
      this.#count(question, "edit");
      const params = { path: "/orders", body: { id, sum: 400 }, ref: id };
      await this.say("edit", ...about, "--params", JSON.stringify(params));
    } else await this.#refuse(question, id);
  }

  async #sayOfForgotten(question: Question, id: string): Promise<void> {
    const { workflow, attentionId } = question;
    const isThere = this.#shop.counts.has(id);
    this.#count(question, isThere ? "happened" : "send");
    const result = JSON.stringify({ status: 200, body: { number: 1 } });
    const said = isThere ? ["happened", "--result", result] : ["send"];
    await this.say("answer", workflow, attentionId, ...said);
  }

  /** It is not in the shop, so the next is worked on; the shop books it when that was said. */
  async #goOnWithout(question: Question): Promise<void> {
    const { workflow, attentionId, call } = question;
    expect(this.#shop.counts.has(call?.params.body.id ?? "")).toBe(false);
    this.#count(question, "skip");
    await this.say("answer", workflow, attentionId, "skip");
    this.#shop.answerHeld();
    const kinds = async () => {
      const open = `/workflows/${workflow}/attention?status=open`;
      return (await this.#host.api<Items<Question>>("GET", open)).items.map(({ kind }) => kind);
    };
    await expect.poll(kinds, { timeout: 60_000, interval: 50 }).toContain("happened_after_all");
  }

  async #refuse(question: Question, id: string): Promise<void> {
    const { workflow, attentionId } = question;
    const way = id.includes(" stop-") ? "stop" : "skip";
    this.#count(question, `reject, ${way}`);
    await this.say("reject", workflow, attentionId, "--then", way, "--reason", "not wanted");
    if (way === "skip") return;
    await this.say("events", "skip", workflow, "order.received", id);
    await this.say("workflow", "resume", workflow);
  }
}

type Items<T> = { readonly items: readonly T[] };

/** Once every workflow asks something or has nothing to do: what is asked. */
async function openQuestions(host: HostProcess): Promise<readonly Question[]> {
  const look = async () => {
    const { out } = await host.holdfast("attention", "ls", "--limit", "100", "--json");
    const { items } = JSON.parse(out) as Items<Question>;
    const asking = new Set(items.map(({ workflow }) => workflow));
    for (const workflow of workflows.filter((name) => !asking.has(name))) {
      const inputs = `/workflows/${workflow}/inputs?status=pending`;
      if ((await host.api<Items<unknown>>("GET", inputs)).items.length > 0) return null;
    }
    return items;
  };
  let found: readonly Question[] | null = null;
  const isAtRest = async () => {
    found = await look();
    return found !== null;
  };
  await expect.poll(isAtRest, { timeout: 60_000, interval: 50 }).toBe(true);
  return found ?? [];
}

function sourceOf(workflow: string): object {
  const connected = workflow === "late" ? patiently(script, "patient") : script;
  const text = connected.replace('name: "orders"', `name: "${workflow}"`);
  return { entry: "orders.ts", files: { "orders.ts": text } };
}

async function begin(host: HostProcess, names: readonly string[]): Promise<void> {
  for (const workflow of names) {
    const source = sourceOf(workflow);
    // Two of them were deployed by somebody who forgot what they need.
    const ask = workflow === "east" || workflow === "west" ? [] : ["shop.post"];
    await host.api("POST", "/versions", { source, ask });
    const path = `/workflows/${workflow}`;
    if (ask.length > 0)
      await host.api("POST", `${path}/grants`, { grants: grantsOf(smallAtFirst) });
    for (const order of orders[workflow] ?? []) {
      const messageId = `${workflow} ${order}`;
      const payload = { sum: sumOf(order) };
      const body = { topic: "order.received", messageId, payload, title: `Order ${messageId}` };
      await host.api("POST", `${path}/commands`, { kind: "publish_event", body });
    }
  }
}

/** None of them may be missing. */
const kindsOfAnswers = [
  "action_needed brake",
  "action_needed budget",
  "action_needed grant",
  "action_needed sign-in",
  "approval approve",
  "approval edit",
  "approval reject, skip",
  "approval reject, stop",
  "crash_loop resume",
  "happened_after_all acknowledge",
  "ledger_may_be_older_than_world continue",
  "may_have_happened happened",
  "may_have_happened send",
  "outcome_unknown did_not_happen",
  "outcome_unknown happened",
  "outcome_unknown skip",
  "run_failed retry",
];

type Start = (more?: Partial<StartOptions>) => HostProcess;

/** Dies as soon as a consumer begins. */
const deadly = {
  imports: [new URL("../host-crash/boundary-hook.ts", import.meta.url).href],
  environment: {
    HOLDFAST_BOUNDARY: "before prepare and mutate #1",
    HOLDFAST_BOUNDARY_SIGNAL: "SIGKILL",
  },
};

/** An order waits, another too that was booked since; the store is put back to before that. */
async function beginBefore(start: Start, shop: OrderShop, store: StorePlace) {
  const host = start();
  const source = sourceOf("old");
  await host.api("POST", "/versions", { source, ask: ["shop.post"] });
  expect(await host.holdfast("workflow", "pause", "old")).toMatchObject({ code: 0 });
  await begin(host, ["old"]);
  await host.stop();
  const dying = start(deadly);
  // It dies of the order, before it can say that it took it.
  await begin(dying, ["loop"]).catch(() => {});
  await dying.ended;
  for (let life = 0; life < 2; life++) await start(deadly).ended;
  shop.applied.push({ id: "old known-1", sum: 5 });
  const words = ["accept-restored", "--ledger-compared", "--unnoticed"];
  expect(await runOffline(store, ...words)).toMatchObject({ code: 0 });
}

test("[R70, R72, R73, R92, R127, R160, R161] 60 questions of 17 kinds, by commands", async () => {
  const shop = await OrderShop.start();
  onTestFinished(() => shop.stop());
  shop.mood = troubles();
  const store = await places.SQLite();
  const accountsFile = writeAccounts(folder, shop.url);
  addAccount(accountsFile, { patient: { connector: "patient", baseUrl: shop.url } });
  const known = writePatientConnector(folder);
  const start: Start = (more) => {
    const environment = { ...known, ...more?.environment };
    const started = new HostProcess({ store, accountsFile, ...more, environment });
    onTestFinished(() => started.kill("SIGKILL"));
    return started;
  };
  await beginBefore(start, shop, store);
  const host = start();
  const rest = workflows.filter((name) => name !== "old" && name !== "loop");
  await begin(host, rest);
  const operator = new Operator(host, shop);
  await operator.say("brake", "on", "--all", "--reason", "before the working day");
  await operator.say("brake", "off", "--all");
  for (;;) {
    const open = await openQuestions(host);
    if (open.length === 0) break;
    await operator.answer(open);
  }
  expect([...operator.kinds.keys()].sort()).toEqual(kindsOfAnswers);
  const answered = [...operator.kinds.values()].reduce((sum, count) => sum + count, 0);
  expect(answered).toBeGreaterThanOrEqual(60);

  const wanted: Record<string, string> = {};
  const became: Record<string, string> = {};
  for (const workflow of workflows) {
    for (const order of orders[workflow] ?? []) {
      const isRefused = /^(?:no|stop)/.test(order);
      const isSkipped = isRefused || order.startsWith("slow");
      const times = isRefused ? "0 times" : "once";
      wanted[`${workflow} ${order}`] = `${isSkipped ? 1 : 0} skipped, ${times}`;
    }
    type Input = { readonly externalId: string; readonly events: { readonly skipped: number } };
    const done = `/workflows/${workflow}/inputs?status=done`;
    const { items } = await host.api<Items<Input>>("GET", done);
    for (const { externalId, events } of items) {
      const id = externalId.replace("order.received/", "");
      const count = shop.counts.get(id) ?? 0;
      became[id] = `${events.skipped} skipped, ${count === 1 ? "once" : `${count} times`}`;
    }
  }
  expect(became).toEqual(wanted);
  expect(shop.applied.filter(({ id }) => id.includes("edit")).map(({ sum }) => sum)).toEqual([
    400, 400, 400, 400,
  ]);
  await host.stop();
  expect((await verifyFull(store)).out).toContain("nothing differs");
}, 180_000);
