import type { Wake } from "@holdfast/core";
import { expect, test } from "vitest";
import { Watchers } from "./watchers.ts";

const wake: Wake = { workflows: ["orders"] };

/** Watchers whose calls are made when the test says so. */
function setUp() {
  const calls: (() => void)[] = [];
  return { watchers: new Watchers((call) => calls.push(call)), calls };
}

test("a listener that throws breaks neither the append nor the other listeners", () => {
  const { watchers, calls } = setUp();
  const heard: Wake[] = [];
  watchers.add(() => {
    throw new Error("a mistake of the listener");
  });
  watchers.add((each) => heard.push(each));
  expect(() => watchers.wake(wake)).not.toThrow();
  const [first, second, ...others] = calls;
  expect(others).toEqual([]);
  expect(first).toThrow("a mistake of the listener");
  second?.();
  expect(heard).toEqual([wake]);
});

test("a listener that has ended is not called any more, even for an earlier wake-up", () => {
  const { watchers, calls } = setUp();
  const heard: string[] = [];
  const endFirst = watchers.add(() => heard.push("first"));
  watchers.add(() => heard.push("second"));
  watchers.wake(wake);
  endFirst();
  for (const call of calls) call();
  expect(heard).toEqual(["second"]);
  watchers.wake(wake);
  watchers.endAll();
  for (const call of calls.slice(2)) call();
  expect(heard).toEqual(["second"]);
});

test("one function that is added twice is two listeners", () => {
  const { watchers, calls } = setUp();
  const heard: Wake[] = [];
  const onWake = (each: Wake) => heard.push(each);
  const end = watchers.add(onWake);
  watchers.add(onWake);
  end();
  watchers.wake(wake);
  for (const call of calls) call();
  expect(heard).toEqual([wake]);
});
