import { encodeCanonical, type InboxEntry, type StoreBrake } from "@holdfast/core";
import { expect, test } from "vitest";
import { BrakeWatch } from "./brake-watch.ts";

const call = { workflow: "orders", operation: "shop.post" };

function entry(
  kind: "set_brake" | "release_brake",
  operation: string,
  decidedOn: string | null = null,
): InboxEntry {
  const body = encodeCanonical({
    operation,
    ...(kind === "set_brake" ? { reason: "stop" } : {}),
    ...(decidedOn === null ? {} : { decidedOn: { state: decidedOn } }),
  });
  const heading = { commandId: kind, workflow: "orders", actor: "ada", at: 1 };
  return { ...heading, kind, body, position: 1 };
}

/** Each look is answered when the test says so, and with what it says. */
function watched(findStoreBrake: () => Promise<StoreBrake | null> = async () => null) {
  const looks: PromiseWithResolvers<readonly InboxEntry[]>[] = [];
  const readInbox = () => {
    const look = Promise.withResolvers<readonly InboxEntry[]>();
    looks.push(look);
    return look.promise;
  };
  const troubles: unknown[] = [];
  const told: string[] = [];
  const tellOfStoreBrake = async (workflow: string) => void told.push(workflow);
  const store = { readInbox, findStoreBrake, tellOfStoreBrake };
  const watch = new BrakeWatch(store, (cause) => troubles.push(cause));
  return { watch, looks, troubles, told };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("an older look that answers after a newer one does not take a brake back [R150]", async () => {
  const { watch, looks } = watched();
  const sending = await watch.begin(call, { isBehind: true });
  watch.look("orders");
  looks[1]?.resolve([entry("set_brake", "*")]);
  await settled();
  looks[0]?.resolve([]);
  await settled();
  expect(sending.isBraked()).toBe(true);
});

test.each([
  ["its operation", [entry("set_brake", "shop.post")], true],
  ["its workflow", [entry("set_brake", "*")], true],
  ["every workflow", [entry("set_brake", "**")], true],
  ["another operation", [entry("set_brake", "shop.put")], false],
  ["it, and was released", [entry("set_brake", "*"), entry("release_brake", "*")], false],
  ["it, if one saw it active", [entry("set_brake", "*", "active")], true],
  [
    "it, and may be released if it is as somebody saw it",
    [entry("set_brake", "*"), entry("release_brake", "*", "paused")],
    true,
  ],
])("a brake on %s holds a call back, or does not", async (_, entries, isHeld) => {
  const { watch, looks } = watched();
  const sending = await watch.begin(call, { isBehind: false });
  expect(looks).toEqual([]);
  watch.look("orders");
  looks[0]?.resolve(entries);
  await settled();
  expect(sending.isBraked()).toBe(isHeld);
});

test("nobody looks once the call is out, and a look that fails is told", async () => {
  const { watch, looks, troubles } = watched();
  const sending = await watch.begin(call, { isBehind: true });
  looks[0]?.reject(new Error("away"));
  await settled();
  expect([sending.isBraked(), troubles.length]).toEqual([false, 1]);
  sending.end();
  watch.look("orders");
  expect(looks).toHaveLength(1);
});

const onAll: StoreBrake = { setBy: "ada", setAt: 1, reason: "stop" };

test.each<[string, () => Promise<StoreBrake | null>, boolean, number]>([
  ["that is on holds a call back, whether or not anybody was woken", async () => onAll, true, 0],
  ["that is off lets it go", async () => null, false, 0],
  ["that nobody can look at holds it back", () => Promise.reject(new Error("away")), true, 1],
])("[R150] a brake on all sending %s", async (_, findStoreBrake, isHeld, troubleCount) => {
  const { watch, looks, troubles, told } = watched(findStoreBrake);
  const sending = await watch.begin(call, { isBehind: false });
  expect([sending.isBraked(), looks.length]).toEqual([isHeld, 0]);
  expect(troubles).toHaveLength(troubleCount);
  expect(told).toEqual(isHeld && troubleCount === 0 ? ["orders"] : []);
});

test("calls that begin at once share a look at the store's brake, later ones not", async () => {
  const asked: PromiseWithResolvers<StoreBrake | null>[] = [];
  const { watch } = watched(() => {
    asked.push(Promise.withResolvers());
    return asked.at(-1)?.promise ?? Promise.resolve(null);
  });
  const beginOf = (workflow: string) => watch.begin({ ...call, workflow }, { isBehind: false });
  const [one, two] = [beginOf("one"), beginOf("two")];
  await settled();
  expect(asked).toHaveLength(1);
  const late = beginOf("late");
  await settled();
  asked[0]?.resolve(null);
  const sent = await Promise.all([one, two]);
  expect(sent.map((each) => each.isBraked())).toEqual([false, false]);
  await settled();
  asked[1]?.resolve(onAll);
  expect((await late).isBraked()).toBe(true);
});
