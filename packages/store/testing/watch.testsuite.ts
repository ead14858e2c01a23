import type { Store, Wake } from "@holdfast/core";
import { expect } from "vitest";
import { Owner } from "./change-builder.ts";
import { command } from "./inbox.testsuite.ts";
import type { CaseContext, StoreCase } from "./store-case.ts";

/** Listens, and lets a case wait for the first call that may mean the workflow. */
function listen({ store, patienceMs }: CaseContext, workflow = "orders") {
  const wakes: Wake[] = [];
  let tell = (_: Wake): void => {};
  const told = new Promise<Wake>((resolve) => {
    tell = resolve;
  });
  const end = store.watch((wake) => {
    wakes.push(wake);
    if (mayMean(wake, workflow)) tell(wake);
  });
  return { wakes, end, heard: () => within(told, patienceMs) };
}

function mayMean({ workflows }: Wake, workflow: string): boolean {
  return workflows === null || workflows.includes(workflow);
}

async function within<T>(promise: Promise<T>, patienceMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<"nobody called">((resolve) => {
    timer = setTimeout(() => resolve("nobody called"), patienceMs);
  });
  const first = await Promise.race([promise, silence]);
  clearTimeout(timer);
  expect(first).not.toBe("nobody called");
  return first as T;
}

/** What the inbox held at the moment of the call. */
function inboxWhenCalled({ store, patienceMs }: CaseContext): () => Promise<number> {
  const counts = new Promise<number>((resolve) => {
    store.watch(() => {
      void store.readInbox("orders", 10).then((entries) => resolve(entries.length));
    });
  });
  return () => within(counts, patienceMs);
}

async function append(store: Store, commandId: string, workflow = "orders"): Promise<void> {
  await store.appendCommand(command(commandId, { workflow }));
}

export const watchCases: readonly StoreCase[] = [
  {
    name: "calls back when a command was appended",
    run: async (context) => {
      await Owner.create(context.store);
      const listener = listen(context);
      await append(context.store, "c-1");
      await listener.heard();
    },
  },
  {
    name: "calls back no earlier than the command is there",
    run: async (context) => {
      await Owner.create(context.store);
      const inboxCount = inboxWhenCalled(context);
      await append(context.store, "c-1");
      expect(await inboxCount()).toBe(1);
    },
  },
  {
    name: "calls back for every workflow that was appended to",
    run: async (context) => {
      const { store } = context;
      const names = ["a", "b", "c", "d"];
      for (const name of names) await Owner.create(store, name);
      const listeners = names.map((name) => listen(context, name));
      await Promise.all(names.map((name) => append(store, "c-1", name)));
      await Promise.all(listeners.map((listener) => listener.heard()));
    },
  },
  {
    name: "calls nobody who has ended it, and goes on calling the others",
    run: async (context) => {
      const { store } = context;
      for (const name of ["first", "second"]) await Owner.create(store, name);
      const ended = listen(context, "first");
      const first = listen(context, "first");
      const second = listen(context, "second");
      await append(store, "c-1", "first");
      await Promise.all([ended.heard(), first.heard()]);
      ended.end();
      ended.end();
      const before = ended.wakes.length;
      await append(store, "c-1", "second");
      await second.heard();
      expect(ended.wakes).toHaveLength(before);
    },
  },
];
