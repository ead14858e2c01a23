import { describe, expect, test } from "vitest";
import { chooseThread, type ThreadState, type Wanted } from "./choose-thread.ts";

const idle: ThreadState = { load: 0, isSlow: false, isFilling: false, expectedMs: 0 };
const short: Wanted = { expectedMs: 0.2, mustBeFirst: false, mayBeNew: true };
const unknown: Wanted = { ...short, expectedMs: Number.POSITIVE_INFINITY };

describe("a request goes", () => {
  test("to the busy thread rather than to an idle one while both have short work", () => {
    const busy = { ...idle, load: 3, expectedMs: 0.6 };
    expect(chooseThread([idle, busy], short)).toBe(busy);
    const full = { ...idle, load: 20, expectedMs: 4 };
    expect(chooseThread([idle, full], short)).toBe(null);
    expect(chooseThread([idle, { ...full, isFilling: true }], short)).toMatchObject({ load: 20 });
  });

  test("to another thread if it would wait long, or nobody knows how long", () => {
    const long = { ...idle, load: 1, expectedMs: 5 };
    expect(chooseThread([long, idle], short)).toBe(idle);
    expect(chooseThread([long], short)).toBe("new");
    expect(chooseThread([{ ...idle, load: 1, expectedMs: 0.1 }, idle], unknown)).toBe(idle);
    const hanging = { ...idle, load: 1, isSlow: true, expectedMs: 0.1 };
    expect(chooseThread([hanging, idle], short)).toBe(idle);
    expect(chooseThread([hanging], { ...short, mayBeNew: false })).toBe(null);
  });

  test("to a thread with nothing else if it must be the first there", () => {
    const busy = { ...idle, load: 1, expectedMs: 0.1 };
    const first = { ...short, mustBeFirst: true };
    expect(chooseThread([busy, idle], first)).toBe(idle);
    expect(chooseThread([busy], { ...first, mayBeNew: false })).toBe(null);
  });

  test("to the thread with the least, once all are busy for long", () => {
    const one = { ...idle, load: 2, expectedMs: 9 };
    const two = { ...idle, load: 1, expectedMs: 9 };
    expect(chooseThread([one, two], { ...short, mayBeNew: false })).toBe(two);
    const full = { ...idle, load: 9, expectedMs: 9 };
    expect(chooseThread([full], { ...short, mayBeNew: false })).toBe(null);
  });
});
