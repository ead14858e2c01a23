import {
  type Change,
  type CommitAnswer,
  type CoreCommand,
  encodeCanonical,
  type Need,
  policyDefaults,
  type Store,
} from "@holdfast/core";
import { openMemoryStore } from "@holdfast/store/memory";
import { beforeEach, describe, expect, test } from "vitest";
import { writeSampleHistory } from "./testing/sample-history.ts";
import { WorkflowOwner } from "./workflow-owner.ts";

let store: Store;
beforeEach(() => {
  store = openMemoryStore({ clock: () => 0, newIncarnation: () => "owner-test" });
});

/** Answers as told while the change may or may not have landed, as a lost connection would. */
function answering(answer: CommitAnswer["kind"], { lands }: { lands: boolean }): Store {
  return new Proxy(store, {
    get(target, name, receiver) {
      if (name !== "commit") {
        const value = Reflect.get(target, name, receiver);
        return typeof value === "function" ? value.bind(target) : value;
      }
      return async (changes: readonly Change[]) => {
        if (lands) await target.commit(changes);
        return [{ kind: answer, cause: "connection lost" }];
      };
    },
  });
}

async function ownerOn(through: Store): Promise<WorkflowOwner> {
  const { epoch } = await store.load("orders", []);
  return new WorkflowOwner(through, { workflow: "orders", epoch });
}

const pause = { kind: "pause_workflow", actor: "ann" } as const;
const resume = { kind: "resume_workflow", actor: "ann" } as const;

const withProducer: CoreCommand = {
  kind: "activate_version",
  major: 1,
  minor: 0,
  scriptHash: "script",
  script: null,
  connections: [],
  grants: null,
  progress: "keep",
  topics: [],
  handlers: [
    {
      name: "poll",
      kind: "producer",
      subscribe: [],
      publishes: null,
      onMutationFailed: "prepare",
      catchUp: "once",
      webhook: false,
      start: "manual",
      scheduled: true,
    },
  ],
  actor: "ann",
};

describe("the trace of a change", () => {
  const trace = { runId: "r1", text: () => "what it did" };

  test("[R113] lands with the facts it led to, and not when they are refused", async () => {
    await writeSampleHistory(store, "orders");
    const owner = await ownerOn(store);
    expect((await owner.execute([resume], 90_000, trace)).kind).toBe("refused");
    expect(await store.readTraces("orders", 0, 10)).toEqual([]);
    expect((await owner.execute([pause], 90_000, trace)).kind).toBe("done");
    const { head } = await owner.loadView();
    expect(await store.readTraces("orders", 0, 10)).toEqual([
      { seq: head.seq, runId: "r1", at: 90_000, text: "what it did" },
    ]);
  });

  test("[R35] is forgotten when enough facts have come after it", async () => {
    await writeSampleHistory(store, "orders");
    const { epoch, head } = await store.load("orders", []);
    const policy = { ...policyDefaults, traceFactsKept: 900 };
    const owner = new WorkflowOwner(store, { workflow: "orders", epoch }, policy);
    for (let count = head.seq; count < 2_050; count++) {
      await owner.execute([count % 2 === head.seq % 2 ? pause : resume], 90_000, trace);
    }
    const kept = (await store.readTraces("orders", 0, 5_000)).map(({ seq }) => seq);
    expect([kept[0], kept.at(-1)]).toEqual([1_101, 2_050]);
  });
});

describe("a commit that is not certain", () => {
  test.each([true, false])(
    "orders nothing and is decided afresh (it landed: %s)",
    async (lands) => {
      await writeSampleHistory(store, "orders");
      const owner = await ownerOn(answering("unknown", { lands }));
      expect(await owner.execute([pause], 90_000)).toMatchObject({ kind: "lost" });
      const fresh = await ownerOn(store);
      const again = await fresh.execute([pause], 90_000);
      expect(again.kind).toBe(lands ? "refused" : "done");
    },
  );

  test("drops the view: the next decision sees what really is there", async () => {
    await writeSampleHistory(store, "orders");
    const owner = await ownerOn(answering("unknown", { lands: true }));
    await owner.execute([pause], 90_000);
    expect((await owner.loadView()).load("workflows").status).toBe("paused");
  });
});

describe("an owner", () => {
  test("whose workflow was taken over loses its next commit and performs nothing", async () => {
    const owner = await writeSampleHistory(store, "orders");
    await store.openHost({ incarnation: "other", leaseMs: 1_000 });
    const command = { commandId: "1", workflow: "orders", actor: "ann", kind: "run_now", at: 1 };
    await store.appendCommand({ ...command, body: encodeCanonical({}) });
    expect((await store.claim("other", 1)).claims).toHaveLength(1);
    const executed = await owner.execute([pause], 90_000);
    expect(executed).toEqual({ kind: "lost", answer: { kind: "lease_lost" } });
  });

  test("loads nothing that the change itself makes", async () => {
    const loads: Need[] = [];
    const load: Store["load"] = (workflow, needs) => {
      loads.push(...needs);
      return store.load(workflow, needs);
    };
    await store.createWorkflow("orders");
    const owner = await ownerOn({ ...store, load });
    await owner.execute([{ kind: "create_workflow", name: "orders" }, withProducer], 1);
    loads.length = 0;
    const asOf = (await owner.loadView()).head.seq;
    const kept = { state: null, nextRunAt: null, kv: [] };
    const nothing = { inputs: [], publishes: [], deliveries: [], ...kept };
    const commands: CoreCommand[] = [
      { kind: "start_run", handler: "poll", asOf, trigger: null },
      { kind: "commit_run", runId: `r${asOf + 1}`, ...nothing },
    ];
    expect((await owner.execute(commands, 2)).kind).toBe("done");
    expect(loads).toEqual([]);
  });

  test("keeps in its view only what the next decision starts from", async () => {
    const owner = await writeSampleHistory(store, "orders");
    const view = await owner.loadView();
    const base = await store.load("orders", [{ kind: "base" }]);
    const kept = (["runs", "events", "mutations", "inputs"] as const).map(
      (table) => [...view.rows(table)].length,
    );
    const loaded = (["runs", "events", "mutations", "inputs"] as const).map(
      (table) => base.rows.filter((row) => row.table === table).length,
    );
    expect(kept).toEqual(loaded);
  });

  test("answers inbox commands in order, refusals too, and each only once", async () => {
    const owner = await writeSampleHistory(store, "orders");
    for (const [index, kind] of ["pause_workflow", "pause_workflow", "nonsense"].entries()) {
      const body = encodeCanonical({});
      const commandId = `c${index}`;
      await store.appendCommand({ commandId, workflow: "orders", actor: "ann", kind, body, at: 1 });
    }
    expect(await owner.foldInbox(90_000, 10)).toHaveLength(3);
    expect(await owner.foldInbox(90_000, 10)).toHaveLength(0);
    const refusals = await Promise.all(
      ["c0", "c1", "c2"].map(async (id) => (await store.findVerdict("orders", id))?.refusal),
    );
    expect(refusals).toEqual([null, "workflow_is_paused", "command_malformed"]);
  });

  test("writes nothing for a command that changes nothing", async () => {
    const owner = await writeSampleHistory(store, "orders");
    const { head } = await store.load("orders", []);
    expect((await owner.execute([resume], 90_000)).kind).toBe("refused");
    expect((await store.load("orders", [])).head).toEqual(head);
  });
});
