import { expect, test } from "vitest";
import { placesFor } from "./places.ts";

const life = [
  "before store.load #1",
  "after store.load #1",
  "before store.peek #1",
  "after store.peek #1",
  "before store.commit #1",
  "before store.load #2",
  "after store.load #2",
  "after store.commit #1",
  "before outside.describe #1",
  "before next #1",
  "after next #1",
  "before outside.send #1",
  "before last check #1",
  "after outside.send #1",
  "before something new #1",
  "before store.readInbox #1",
  "after store.readInbox #1",
];

test("a host is killed next to whatever may change something, and while it is under way", () => {
  expect(placesFor("SIGKILL", life)).toEqual([
    "before store.commit #1",
    "before store.load #2",
    "after store.load #2",
    "after store.commit #1",
    "before outside.send #1",
    "before last check #1",
    "after outside.send #1",
    "before something new #1",
  ]);
});

test("a host is stopped once between any two things it waits for", () => {
  const left = life.filter((boundary) => !placesFor("SIGSTOP", life).includes(boundary));
  expect(left).toEqual(["after store.load #1", "after store.peek #1", "after next #1"]);
});
