import type { Sandbox } from "@holdfast/sandbox";
import { type OpenStore, openStores } from "./open-stores.ts";
import { type ScriptedOperation, ScriptedWorld } from "./scripted-world.ts";
import { WorkflowInTest } from "./workflow-in-test.ts";

type Params = Readonly<Record<string, unknown>>;

/** Contracts that end, a file to put them in and a mail to be sent for each. */
export class MailRoom {
  contracts: readonly string[] = ["c1", "c2"];
  send: (params: Params) => unknown = ({ to }) => ({ messageId: `to ${String(to)}` });
  put: (params: Params) => unknown = ({ id }) => ({ row: `row ${String(id)}` });
  list: () => unknown = () => this.contracts;
  compare: NonNullable<ScriptedOperation["compare"]> = () => "significant";
  guarantee: ReturnType<NonNullable<ScriptedOperation["guarantee"]>> = {};
  find: NonNullable<ScriptedOperation["reconcile"]> = () => ({ says: "retry", note: "not now" });
  readonly world = new ScriptedWorld({
    crm: { listEnding: { kind: "read:list", answer: () => this.list() } },
    files: {
      put: {
        kind: "mutation",
        identity: ({ id }) => ({ id: String(id) }),
        answer: (params) => this.put(params),
        guarantee: () => this.guarantee,
        reconcile: (params, key) => this.find(params, key),
      },
    },
    mail: {
      send: {
        kind: "mutation",
        identity: ({ to }) => ({ to: String(to) }),
        compare: (before, after) => this.compare(before, after),
        answer: (params) => this.send(params),
        guarantee: () => this.guarantee,
        reconcile: (params, key) => this.find(params, key),
      },
    },
  });

  /** What reached the services, in order. */
  get sent(): readonly string[] {
    return this.world.sent.map(({ name, params }) => `${name} ${params["id"] ?? params["to"]}`);
  }

  async open(
    sandbox: Sandbox,
    {
      source = renewSource(),
      store: open = openStores.SQLite,
    }: { readonly source?: string; readonly store?: OpenStore } = {},
  ): Promise<WorkflowInTest> {
    const clock = { now: 1_700_000_000_000 };
    const store = await open(() => clock.now);
    return WorkflowInTest.create({ store, sandbox, world: this.world, clock }, source);
  }
}

/** One row and one mail for each contract. */
const renewItem = `
  if (ctx.item.isDone) return;
  const { row } = await ctx.files.put({ id, text: "ends" });
  await ctx.mail.send({ to: id, body: "see " + row });`;

const renewAll = `
  for (const id of await ctx.crm.listEnding({})) {
    await ctx.withItem("contract:" + id, "Contract " + id, async (ctx) => {${renewItem}
    });
  }`;

const idle = `idle: { subscribe: ["wanted"], prepare: async () => {
        return { reservations: [], data: {} };
      } },`;

type Form = { readonly start?: string; readonly more?: string; readonly publishes?: string };

export function renewSource(body: string = renewAll, form: Form = {}): string {
  const { start = "manual: true", more = "", publishes = "" } = form;
  return `
  import { workflow } from "@holdfast/sdk";
  export default workflow({
    name: "renewals",
    connections: {
      crm: { connector: "http", account: "crm" },
      files: { connector: "http", account: "files" },
      mail: { connector: "http", account: "mail" },
    },
    topics: { renewed: { observed: true }, wanted: {}, orders: {} },
    producers: { poll: { manual: true, publishes: ["wanted", "orders"], handler: async () => {} } },
    consumers: {
      book: { subscribe: ["orders"], prepare: async (ctx) => {
        const [event] = await ctx.peek("orders", { limit: 1 });
        const ids = event ? [event.messageId] : [];
        return { reservations: [{ topic: "orders", ids }], data: {} };
      } },
      ${start.includes("subscribe") ? "" : idle}
    },
    jobs: {
      renew: { ${start}, ${publishes} handler: async (ctx) => {${body}
      } },
      ${more}
    },
  });`;
}
