import { fileURLToPath } from "node:url";
import type { ReceiptRequest } from "@holdfast/protocol";
import { describe, expect, test, vi } from "vitest";
import { keyIdOf, perform, receiptFor } from "./executor-kit.ts";
import { open, type Pair, runner, takeOne, withMail } from "./remote-host.ts";
import { places } from "./stores.ts";

const fetching = fileURLToPath(new URL("../../examples/machines/fetch-notify.ts", import.meta.url));
/** The shop can be asked for the key that an order carries as its reference. */
const lookup = {
  path: "/orders",
  query: { ref: "{key}" },
  sentAs: { field: "ref" },
  status: 200,
  body: { number: "/number" },
  visibilityDelayMs: 0,
};

describe.each(Object.entries(places))("an executor in another process, on %s", (_, newStore) => {
  test("[M.V-12] signs each; a receipt that outlives its host is a late answer", async () => {
    const { remote, pair } = await open(newStore);
    const first = await remote.executor(pair);
    await first.says(/asks/);
    await remote.publish("o-1");
    await remote.reaches("o-1", "Booked");
    expect(await remote.signers()).toEqual([keyIdOf(pair.secret)]);
    first.child.kill("SIGKILL");
    const second = await remote.executor(pair, { HOLD: "1" });
    await remote.publish("o-2");
    await second.says(/made/);
    await remote.again("SIGKILL");
    // The shop cannot be asked, and what was handed out is not handed out again.
    await vi.waitUntil(async () => (await remote.questions()).length === 1, { timeout: 60_000 });
    expect(await remote.take(0)).toBeNull();
    second.tell(await remote.host.url);
    await second.says(/"outcome":"late"/);
    await remote.reaches("o-2", "Booked");
    expect(await remote.questions()).toEqual([]);
    const counts = [...remote.shop.counts];
    expect(counts).toEqual([
      ["o-1", 1],
      ["o-2", 1],
    ]);
    // What a late answer led to is the host's word: the ledger has the executor's.
    const [own, hosts] = await remote.signers();
    expect([own, hosts === own]).toEqual([keyIdOf(pair.secret), false]);
    await remote.replays();
  });
});

test("[M.V-12] what the executor did not sign is refused, each by its code", async () => {
  const { remote, pair } = await open(places.SQLite);
  const [stranger, mail] = [remote.newPair("stranger.pem"), remote.newPair("mail.pem")];
  remote.list(withMail(pair, mail));
  await remote.again("SIGTERM");
  const work = await takeOne(remote, "o-1");
  const result = await perform(remote.connected, work);
  const said = { status: "ok", result } as const;
  const good = receiptFor(remote.connected, work, { said, secret: pair.secret });
  const forged = receiptFor(remote.connected, work, { said, secret: stranger.secret });
  const mails = receiptFor(remote.connected, work, { said, secret: mail.secret });
  const error = { status: "error", class: "logic", message: "no" } as const;
  const { result: _, ...heading } = good as ReceiptRequest & { result: unknown };
  const refused: readonly [object, string][] = [
    [{ ...good, result: { status: 201, body: { number: 99 } } }, "RECEIPT_SIGNATURE_WRONG"],
    [{ ...heading, ...error }, "RECEIPT_SIGNATURE_WRONG"],
    [{ ...forged, keyId: good.keyId }, "RECEIPT_SIGNATURE_WRONG"],
    [forged, "RECEIPT_KEY_UNLISTED"],
    [mails, "RECEIPT_KEY_OF_ANOTHER"],
    [{ ...good, intent: "0".repeat(64) }, "RECEIPT_INTENT_UNKNOWN"],
    [{ ...good, handout: "m-99/1" }, "RECEIPT_INTENT_UNKNOWN"],
    [{ ...good, workflow: "others" }, "RECEIPT_INSTANCE_WRONG"],
    [{ ...good, store: "another" }, "RECEIPT_INSTANCE_WRONG"],
    [{ ...good, signature: "AAAA" }, "REQUEST_INVALID"],
    [heading, "REQUEST_INVALID"],
  ];
  for (const [receipt, code] of refused) {
    expect([code, await remote.bring(receipt)]).toEqual([code, code]);
  }
  const admin = await remote.newToken("anna", "admin");
  expect(await remote.bring(good, { token: admin })).toBe("ROLE_TOO_LOW");
  const other = await remote.newToken("other", "executor");
  expect(await remote.bring(good, { token: other })).toBe("EXECUTOR_REFUSED");
  expect(await remote.bring(good)).toBe("settled");
  await remote.reaches("o-1", "Booked");
  expect(await remote.bring(good)).toBe("settled");
  const later = { ...error, message: "another" };
  const contrary = receiptFor(remote.connected, work, { said: later, secret: pair.secret });
  expect(await remote.bring(contrary)).toBe("RECEIPT_CONFLICT");
  // The same to a host that did not hand it out.
  await remote.again("SIGTERM");
  expect(await remote.bring(good)).toBe("settled");
  expect(await remote.bring(contrary)).toBe("RECEIPT_CONFLICT");
  expect(await remote.bring(forged)).toBe("RECEIPT_KEY_UNLISTED");
  expect(await remote.bring(mails)).toBe("RECEIPT_KEY_OF_ANOTHER");
  expect([...remote.shop.counts]).toEqual([["o-1", 1]]);
  await remote.replays();
});

test("[M.V-12] silence after a change is a question, and never a second handout", async () => {
  const { remote, pair } = await open(places.SQLite);
  const work = await takeOne(remote, "o-1");
  expect(await remote.take(0)).toBeNull();
  await vi.waitUntil(async () => (await remote.questions()).length === 1, { timeout: 60_000 });
  expect(await remote.take(0)).toBeNull();
  // Nothing was done, says the executor at last: that is kept, and a person decides.
  const said = { status: "error", class: "logic", message: "too late" } as const;
  const late = receiptFor(remote.connected, work, { said, secret: pair.secret });
  expect(await remote.bring(late)).toBe("late");
  expect(await remote.questions()).toHaveLength(1);
  expect([...remote.shop.counts]).toEqual([]);
});

test("[R68] [R155] who took a call may send it yet: not found is no proof", async () => {
  const hostPauseMsMax = 600_000;
  const more = { account: { lookup }, timings: { hostPauseMsMax } };
  const { remote, pair } = await open(places.SQLite, more);
  const work = await takeOne(remote, "o-1");
  // The executor stands still; the shop is asked as often as it may be, and finds nothing.
  await vi.waitUntil(async () => (await remote.questions()).length === 1, { timeout: 60_000 });
  expect(remote.shop.heard.length).toBeGreaterThan(1);
  const [question] = await remote.questions();
  const answer = ["answer", "orders", question?.attentionId ?? "", "did_not_happen"];
  const refused = await remote.host.holdfast(...answer);
  expect([refused.code, refused.out]).toEqual([3, expect.stringContaining("may still do so")]);
  // Now it goes on, and makes the call.
  const said = { status: "ok", result: await perform(remote.connected, work) } as const;
  const receipt = receiptFor(remote.connected, work, { said, secret: pair.secret });
  expect(await remote.bring(receipt)).toBe("late");
  await remote.reaches("o-1", "Booked");
  expect([...remote.shop.counts]).toEqual([["o-1", 1]]);
});

test("[M.V-12] nothing was done: the step hears it in the executor's words", async () => {
  const { remote, pair } = await open(places.SQLite);
  const work = await takeOne(remote, "o-1");
  const said = { status: "error", class: "logic", message: "sold out" } as const;
  const receipt = receiptFor(remote.connected, work, { said, secret: pair.secret });
  expect(await remote.bring(receipt)).toBe("settled");
  await remote.reaches("o-1", "Failed");
  expect(await remote.signers()).toEqual([keyIdOf(pair.secret)]);
  await remote.replays();
});

test("[M.V-12] keys are replaced: a removed one counts no more, replay knows it", async () => {
  const { remote, pair } = await open(places.SQLite);
  const next = remote.newPair("two.pem");
  const book = async (id: string, { secret }: Pair) => {
    const work = await takeOne(remote, id);
    const said = { status: "ok", result: await perform(remote.connected, work) } as const;
    const outcome = await remote.bring(receiptFor(remote.connected, work, { said, secret }));
    return { work, said, outcome };
  };
  expect((await book("o-1", pair)).outcome).toBe("settled");
  remote.list(runner(pair, next));
  await remote.again("SIGTERM");
  expect((await book("o-2", next)).outcome).toBe("settled");
  expect((await book("o-3", pair)).outcome).toBe("settled");
  await remote.reaches("o-3", "Booked");
  remote.list(runner(next));
  await remote.again("SIGTERM");
  const { work, said, outcome } = await book("o-4", pair);
  expect(outcome).toBe("RECEIPT_KEY_UNLISTED");
  const { secret } = next;
  expect(await remote.bring(receiptFor(remote.connected, work, { said, secret }))).toBe("settled");
  await remote.reaches("o-4", "Booked");
  const [one, two] = [keyIdOf(pair.secret), keyIdOf(secret)];
  expect(await remote.signers()).toEqual([one, two, one, two]);
  await remote.replays();
});

test("[M.V-12] a read that was not answered is handed out again, and signed", async () => {
  const { remote, pair } = await open(places.SQLite);
  const { host } = remote;
  expect(await host.holdfast("deploy", fetching, "--allow", "site.get")).toMatchObject({ code: 0 });
  const body = { topic: "fetch.start", messageId: "m", payload: { path: "/stock" } };
  await host.api("POST", "/workflows/fetch/commands", { kind: "publish_event", body });
  const first = await remote.take();
  const second = await remote.take();
  if (first === null || second === null) throw new Error("it was not handed out twice");
  expect([second.intent, second.kind]).toEqual([first.intent, "read"]);
  const said = { status: "ok", result: { status: 200, body: { left: 3 } } } as const;
  const { secret } = pair;
  const late = receiptFor(remote.connected, first, { said, secret });
  expect(await remote.bring(late)).toBe("RECEIPT_INTENT_UNKNOWN");
  expect(await remote.bring(receiptFor(remote.connected, second, { said, secret }))).toBe(
    "received",
  );
  const path = "/workflows/fetch/machines/state?machine=notify";
  const look = () => host.api<{ state: { phase: string } }>("GET", path);
  await vi.waitUntil(async () => (await look()).state.phase === "Done", { timeout: 60_000 });
  const { out } = await host.holdfast("machine", "journal", "fetch", "--json");
  expect(out).toContain(keyIdOf(secret));
  expect(await host.holdfast("machine", "replay", "fetch")).toMatchObject({ code: 0 });
});
