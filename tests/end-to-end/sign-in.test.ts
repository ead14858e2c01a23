import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nameOfUser } from "@holdfast/server/access";
import { expect, onTestFinished, test } from "vitest";
import { GuardedShop } from "./guarded-shop.ts";
import { HostProcess, newFolder, type StorePlace, seal, verifyFull } from "./host-process.ts";
import { places } from "./stores.ts";

const clientSecret = "the-secret-of-the-client";
const workflows = ["orders", "returns"] as const;

const scriptOf = (name: string) => `
  import { workflow } from "@holdfast/sdk";
  export default workflow({
    name: "${name}",
    connections: { shop: { connector: "http", account: "shop" } },
    topics: { received: {}, booked: { observed: true } },
    producers: { poll: { manual: true, publishes: ["received"], handler: async () => {} } },
    consumers: {
      book: {
        subscribe: ["received"],
        publishes: ["booked"],
        prepare: async (ctx) => {
          const [event] = await ctx.peek("received", { limit: 1 });
          if (!event) return { reservations: [], data: {} };
          const { messageId: id } = event;
          return { reservations: [{ topic: "received", ids: [id] }], data: { id } };
        },
        mutate: async (ctx, { data: { id } }) => {
          await ctx.shop.post({ path: "/orders", body: { id }, ref: id });
        },
        next: async (ctx, { data: { id } }, { status, result }) => {
          if (status === "none") return;
          ctx.log(JSON.stringify(result));
          await ctx.publish("booked", { messageId: id, result });
        },
      },
    },
  });`;

type Items<T> = { readonly items: readonly T[] };
type Question = {
  readonly attentionId: string;
  readonly note: string;
  readonly closedBy: string | null;
};

/** The shipped program, two workflows, and one account for both. */
class Place {
  readonly shop: GuardedShop;
  readonly store: StorePlace;
  readonly folder = newFolder();
  readonly #key = randomBytes(32).toString("base64url");
  #host: HostProcess | null = null;

  constructor(shop: GuardedShop, store: StorePlace) {
    this.shop = shop;
    this.store = store;
  }

  get host(): HostProcess {
    if (this.#host === null) throw new Error("it was not started");
    return this.#host;
  }

  get #accountsFile(): string {
    return join(this.folder, "accounts.json");
  }

  async writeAccount(refreshToken: string): Promise<void> {
    const sealed = (secret: string) => seal(this.store, secret, this.#key);
    const auth = {
      kind: "oauth2",
      grant: "refresh_token",
      tokenUrl: `${this.shop.url}/token`,
      clientId: "holdfast",
      clientSecret: await sealed(clientSecret),
      refreshToken: await sealed(refreshToken),
    };
    const { url: baseUrl } = this.shop;
    const shop = { connector: "http", baseUrl, auth, allowPrivateAddresses: true };
    writeFileSync(this.#accountsFile, JSON.stringify({ shop }));
  }

  removeAccount(): void {
    writeFileSync(this.#accountsFile, "{}");
  }

  /** Of accounts for which a service gave other credentials than the file has. */
  keptNames(): readonly string[] {
    return Object.keys(JSON.parse(readFileSync(`${this.#accountsFile}.renewed`, "utf8")));
  }

  start(): void {
    const environment = { HOLDFAST_KEY: this.#key };
    const accountsFile = this.#accountsFile;
    const host = new HostProcess({ store: this.store, accountsFile, environment });
    onTestFinished(() => host.kill("SIGKILL"));
    this.#host = host;
  }

  async deploy(): Promise<void> {
    for (const name of workflows) {
      const source = { entry: "a.ts", files: { "a.ts": scriptOf(name) } };
      await this.host.api("POST", "/versions", { source, allow: ["shop.post"] });
    }
  }

  async publish(...ids: readonly string[]): Promise<void> {
    for (const workflow of workflows) {
      for (const id of ids) {
        const event = {
          topic: "received",
          messageId: `${workflow}-${id}`,
          payload: {},
          title: null,
        };
        const command = { kind: "publish_event", body: event };
        await this.host.api("POST", `/workflows/${workflow}/commands`, command);
      }
    }
  }

  async questions(workflow: string, status: "open" | "closed"): Promise<readonly Question[]> {
    const path = `/workflows/${workflow}/attention?status=${status}`;
    return (await this.host.api<Items<Question>>("GET", path)).items;
  }

  /** Everything this host has written or said, as it lies on the disk. */
  traces(): string {
    const files = [this.folder, ...(this.store.kind === "sqlite" ? [this.store.folder] : [])];
    const texts = files.flatMap((folder) =>
      readdirSync(folder, { withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ name }) => readFileSync(join(folder, name), "latin1")),
    );
    return [...texts, ...this.host.output].join("\n");
  }
}

async function soon(isSo: () => boolean | Promise<boolean>): Promise<void> {
  await expect.poll(isSo, { timeout: 60_000, interval: 50 }).toBe(true);
}

async function waitsForTheAccount(place: Place): Promise<void> {
  place.shop.refreshToken = "one that the account does not have";
  await place.publish("1");
  for (const workflow of workflows) {
    await soon(async () => (await place.questions(workflow, "open")).length === 1);
    const [question] = await place.questions(workflow, "open");
    expect(question?.note).toContain("account shop");
    const run = await place.host.holdfast("runs", workflow, "--json", "--status", "open");
    expect(run.out).toContain('"reason":"auth"');
  }
  expect(place.shop.booked).toEqual([]);
  expect(place.shop.refusedCount).toBe(0);
}

async function goesOnWhenMended(place: Place): Promise<void> {
  await place.writeAccount("a second beginning");
  place.shop.refreshToken = "a second beginning";
  const before = place.shop.asked.length;
  const { code, out } = await place.host.holdfast("connect", "resume", "shop");
  expect(code).toBe(0);
  for (const workflow of workflows) expect(out).toMatch(new RegExp(`${workflow} .*resumed`));
  await place.publish("2", "3", "4", "5");
  await soon(() => place.shop.booked.length === 10);
  expect(new Set(place.shop.booked).size).toBe(10);
  // Both workflows, ten calls, one token.
  expect(place.shop.asked.length - before).toBe(1);
  const closedBy = nameOfUser();
  for (const workflow of workflows) {
    expect(await place.questions(workflow, "closed")).toMatchObject([{ closedBy }]);
  }
  const again = await place.host.holdfast("connect", "resume", "shop");
  expect(again.out).toContain("no run waits for it");
  const none = await place.host.holdfast("connect", "resume", "store");
  expect(none.out).toContain("ACCOUNT_MISSING");
}

async function knowsTheTokenAfterARestart(place: Place): Promise<void> {
  await place.host.stop();
  const given = place.shop.refreshToken;
  place.start();
  await place.publish("6");
  await soon(() => place.shop.booked.length === 12);
  expect(place.shop.asked.at(-1)).toBe(given);
}

/** Gone from the file, and at once from the host that runs. */
async function isForgottenWhenRevoked(place: Place): Promise<void> {
  const revoke = () => place.host.holdfast("connect", "revoke", "shop");
  expect((await revoke()).out).toContain("still has shop");
  place.removeAccount();
  expect(await revoke()).toMatchObject({ code: 0 });
  expect((await revoke()).out).toContain("ACCOUNT_MISSING");
  expect(place.keptNames()).toEqual([]);
  const before = [place.shop.booked.length, place.shop.asked.length];
  await place.publish("7");
  for (const workflow of workflows) {
    await soon(async () => (await place.questions(workflow, "open")).length === 1);
    const [question] = await place.questions(workflow, "open");
    expect(question?.note).toContain("there is no connection shop");
    const listed = await place.host.holdfast("connect", "ls", workflow);
    expect(listed.out).toContain("missing");
  }
  expect([place.shop.booked.length, place.shop.asked.length]).toEqual(before);
}

async function comesBackWhenItIsWritten(place: Place): Promise<void> {
  const booked = place.shop.booked.length;
  await place.writeAccount(place.shop.refreshToken);
  expect(await place.host.holdfast("connect", "resume", "shop")).toMatchObject({ code: 0 });
  for (const workflow of workflows) {
    const [question] = await place.questions(workflow, "open");
    const id = question?.attentionId ?? "";
    await place.host.api("POST", `/workflows/${workflow}/attention/${id}`, { answer: "resume" });
  }
  await soon(() => place.shop.booked.length === booked + workflows.length);
}

test.each(Object.entries(places))(
  "[R110, R128, R129, R130] an account is mended, revoked and connected again, on %s",
  async (_, newStore) => {
    const shop = await GuardedShop.start();
    const place = new Place(shop, await newStore());
    await place.writeAccount("a first beginning");
    place.start();
    await place.deploy();
    await waitsForTheAccount(place);
    await goesOnWhenMended(place);
    await knowsTheTokenAfterARestart(place);
    await isForgottenWhenRevoked(place);
    await comesBackWhenItIsWritten(place);
    for (const workflow of workflows) {
      for (const list of ["outputs", "runs", "attention"]) {
        const { out } = await place.host.holdfast(list, workflow, "--json", "--status", "all");
        place.host.output.push(out);
      }
    }
    const written = place.traces();
    for (const secret of [clientSecret, "a first beginning", ...shop.asked, ...shop.given]) {
      expect(written).not.toContain(secret);
    }
    await place.host.stop();
    expect((await verifyFull(place.store)).out).toContain("nothing differs");
  },
);
