import { describe, expect, test } from "vitest";
import {
  asking,
  byHand,
  bytesOf,
  call,
  consumer,
  kindsOf,
  Scenario,
  version,
} from "../testing/scenario.ts";
import { plainGrants } from "./grant.ts";
import { encodeGrants } from "./read-grants.ts";
import type { SetEnvelope } from "./set-envelope.ts";

const o1 = ["orders", "o1"] as const;
const manifest = { topics: ["orders"], handlers: [consumer("book", ["orders"])] };

function shop(): Scenario {
  const s = new Scenario();
  s.do(version(1, 0, manifest));
  s.do(byHand(...o1));
  return s;
}

function granting(say: "allow" | "ask", ...operations: string[]): SetEnvelope {
  const grants = encodeGrants(plainGrants(say, operations));
  return { kind: "set_envelope", grants, actor: "ada" };
}

describe("an envelope", () => {
  test("[R86, R93] is numbered, kept for good, and has its actor in the journal", () => {
    const s = shop();
    s.do(granting("allow", "shop.book"));
    const second = s.do(granting("ask", "shop.book"));
    expect(s.view.load("workflows").envelope).toBe(2);
    expect([...s.view.rows("envelopes")]).toMatchObject([
      { number: 1, setBy: "ada" },
      { number: 2, setBy: "ada" },
    ]);
    expect(second.records[0]?.fact).toMatchObject({ kind: "envelope_set", actor: "ada" });
  });

  test("[R86] that says the same is the same one", () => {
    const s = shop();
    s.do(granting("allow", "shop.book", "shop.look"));
    expect(s.do(granting("allow", "shop.look", "shop.book")).records).toEqual([]);
    expect(s.view.load("workflows").envelope).toBe(1);
  });

  test("[R86] made from one that is no longer in force changes nothing", () => {
    const s = shop();
    s.do({ ...granting("ask", "shop.book"), expects: 0 });
    const late = { ...granting("allow", "shop.book"), expects: 0 };
    expect(s.refused(late)).toBe("envelope_changed");
    expect(s.view.load("workflows").envelope).toBe(1);
    s.do({ ...late, expects: 1 });
    expect(s.view.load("workflows").envelope).toBe(2);
  });

  test.each([
    ["no list", bytesOf({})],
    ["no grants", bytesOf([{ operation: "shop.book", say: "yes" }])],
    ["no bytes of ours", new Uint8Array([1, 2, 3])],
  ])("is refused if it is %s", (_, grants) => {
    const s = shop();
    expect(s.refused({ kind: "set_envelope", grants, actor: "ada" })).toBe("grants_invalid");
    expect(s.refused({ ...version(1, 1, manifest), grants })).toBe("grants_invalid");
    expect(s.view.load("workflows")).toMatchObject({ envelope: 0, versionMinor: 0 });
  });

  test("is refused if it is larger than the host allows", () => {
    const s = new Scenario({ envelopeBytesMax: 10 });
    s.do(version(1, 0, manifest));
    expect(s.refused(granting("allow", "shop.book"))).toBe("limit_exceeded");
  });

  test("[R86, S53] comes with a version if that says so, and else stays as it is", () => {
    const s = shop();
    const { grants } = granting("allow", "shop.book");
    s.do({ ...version(1, 1, manifest), grants, actor: "bob" });
    expect(s.view.load("workflows")).toMatchObject({ envelope: 1, deployedBy: "bob" });
    s.do(version(1, 2, manifest));
    expect(s.view.load("workflows")).toMatchObject({ envelope: 1, deployedBy: "ada" });
  });
});

describe("a run that waits for a grant", () => {
  test.each(["permission", "budget"] as const)(
    "[R110] %s: is judged anew by new ones",
    (reason) => {
      const s = shop();
      const runId = s.prepared("book", [o1]);
      const failure = { class: reason, message: "no", location: "shop.book" } as const;
      s.do({ kind: "pause_run", runId, because: { reason, failure } });
      const set = s.do(granting("allow", "shop.book"));
      expect(kindsOf(set)).toEqual(["envelope_set", "run_resumed", "attention_closed"]);
      expect(s.nextWork()).toEqual({ kind: "continue_run", runId });
    },
  );

  test("[R110] auth: is left alone by them", () => {
    const s = shop();
    const runId = s.prepared("book", [o1]);
    const failure = { class: "auth", message: "no", location: "shop.book" } as const;
    s.do({ kind: "pause_run", runId, because: { reason: "auth", failure } });
    expect(kindsOf(s.do(granting("allow", "shop.book")))).toEqual(["envelope_set"]);
  });

  test("[R89, R150] budget: goes on by itself when there is room again", () => {
    const s = shop();
    const runId = s.prepared("book", [o1]);
    const failure = { class: "budget", message: "no", location: "shop.book" } as const;
    const until = s.now + 1_000;
    s.do({ kind: "pause_run", runId, because: { reason: "budget", failure, until } });
    expect(s.nextWork()).toMatchObject({ kind: "wait", until });
    s.now = until;
    expect(s.nextWork()).toEqual({ kind: "resume_run", runId });
    expect(kindsOf(s.do({ kind: "resume_run", runId, actor: "host" }))).toEqual([
      "run_resumed",
      "attention_closed",
    ]);
  });
});

describe("four eyes", () => {
  function asked(deployer: string): { s: Scenario; approveBy: (actor: string) => string } {
    const s = shop();
    s.do({ ...version(1, 1, manifest), actor: deployer });
    const runId = s.prepared("book", [o1]);
    s.do(call(runId, { ask: asking(s.now + 1_000, { fourEyes: true }) }));
    const mutationId = s.view.load("runs", runId).mutationId ?? "";
    const { payloadHash } = s.view.load("mutations", mutationId);
    const approval = {
      kind: "approve_mutation",
      mutationId,
      payloadHash,
      previewHash: "p",
    } as const;
    const approveBy = (actor: string) => {
      const decided = s.decide([{ ...approval, actor }]);
      return decided.ok ? "done" : decided.refusal.code;
    };
    return { s, approveBy };
  }

  test("[R93] whoever deployed the active version may not approve, anybody else may", () => {
    expect(asked("ada").approveBy("ada")).toBe("approver_deployed_it");
    expect(asked("ada").approveBy("bob")).toBe("done");
    expect(asked("bob").approveBy("bob")).toBe("approver_deployed_it");
  });

  test("[R93] a run from before says nothing: its version is known while it is active", () => {
    const { s, approveBy } = asked("ada");
    const [run] = s.view.rows("runs");
    if (run === undefined) throw new Error("there is a run");
    s.view.put("runs", { ...run, deployers: null });
    expect(["ada", "bob"].map(approveBy)).toEqual(["approver_deployed_it", "done"]);
    s.do({ ...version(1, 2, manifest), actor: "eve" });
    expect(["ada", "eve", "bob"].map(approveBy)).toEqual(Array(3).fill("approver_deployed_it"));
  });
});
