import type { Changes, Store, Wake } from "@holdfast/core";
import { type BrokenStore, broken } from "./broken-store.ts";

/** A census in which something was counted wrong. */
function counting(
  store: Store,
  change: (census: Awaited<ReturnType<Store["census"]>>) => object,
): Pick<Store, "census"> {
  return {
    census: async () => {
      const census = await store.census();
      return { ...census, ...change(census) };
    },
  };
}

/** Answers of readChanges that are not what happened. */
function telling(
  store: Store,
  change: (changes: Changes, after: string | null) => Partial<Changes> | Promise<Partial<Changes>>,
): Pick<Store, "readChanges"> {
  return {
    readChanges: async (after) => {
      const changes = await store.readChanges(after);
      return { ...changes, ...(await change(changes, after)) };
    },
  };
}

const brokenRegistrations: readonly BrokenStore[] = [
  broken(
    "lets a second process in under the name of a living host",
    "refuses a host's name while that host lives, and leaves its lease as it was",
    (store) => ({
      openHost: async (host) => {
        const lives = await store.heartbeat(host.incarnation);
        if (!lives) await store.openHost(host);
      },
    }),
  ),
  broken(
    "forgets the names of the dead",
    "refuses the name of a host that died: its workflows may be in mid-run",
    (store) => ({
      openHost: async (host) => {
        if (!(await store.heartbeat(host.incarnation))) await store.closeHost(host.incarnation);
        await store.openHost(host);
      },
    }),
  ),
  broken(
    "keeps the name of a host that closed",
    "lets a name be used again after its host has closed",
    (store) => ({
      closeHost: async (incarnation) => {
        for (const owned of await store.listWorkflows(null, 1000)) {
          await store.release(incarnation, owned);
        }
      },
    }),
  ),
];

const brokenCensuses: readonly BrokenStore[] = [
  broken(
    "counts hosts that died",
    "counts the hosts that live, not those that died or closed",
    (store) => {
      const opened = new Set<string>();
      return {
        openHost: async (host) => {
          opened.add(host.incarnation);
          await store.openHost(host);
        },
        closeHost: async (incarnation) => {
          opened.delete(incarnation);
          await store.closeHost(incarnation);
        },
        ...counting(store, () => ({ hosts: opened.size })),
      };
    },
  ),
  broken(
    "counts what the dead owned as owned",
    "counts as owned what a living host owns, and as waiting what a dead one left",
    (store) => ({
      census: async () => {
        const all = await store.listWorkflows(null, 1000);
        return { ...(await store.census()), owned: all.filter(({ owner }) => owner).length };
      },
    }),
  ),
  broken(
    "counts what is too new as waiting",
    "counts as waiting exactly what claim gives out, each workflow once",
    (store) => counting(store, ({ waiting }) => ({ waiting: waiting + 1 })),
  ),
  broken(
    "counts all that wait, however long it takes",
    "counts what waits no further than anybody needs to know",
    (store) => ({
      census: async () => {
        const { length } = await store.listWorkflows(null, 100_000);
        return { ...(await store.census()), waiting: length };
      },
    }),
  ),
];

const brokenWatches: readonly BrokenStore[] = [
  broken("wakes nobody", "calls back when a command was appended", () => ({
    watch: () => () => {},
  })),
  broken(
    "wakes before the command is there",
    "calls back no earlier than the command is there",
    (store) => {
      const early = new Set<(wake: Wake) => void>();
      return {
        watch: (onWake) => {
          early.add(onWake);
          return () => early.delete(onWake);
        },
        appendCommand: (command) => {
          for (const onWake of early) onWake({ workflows: [command.workflow] });
          return store.appendCommand(command);
        },
      };
    },
  ),
  broken(
    "wakes once and never again",
    "calls back for every workflow that was appended to",
    (store) => ({
      watch: (onWake) => {
        const end = store.watch((wake) => {
          end();
          onWake(wake);
        });
        return end;
      },
    }),
  ),
  broken(
    "goes on calling who has ended it",
    "calls nobody who has ended it, and goes on calling the others",
    (store) => ({
      watch: (onWake) => {
        store.watch(onWake);
        return () => {};
      },
    }),
  ),
];

const brokenChanges: readonly BrokenStore[] = [
  broken(
    "begins with everything that ever changed",
    "begins with nothing, whatever happened before",
    (store) => ({
      readChanges: async (after) => {
        const all = await store.listWorkflows(null, 1000);
        const changed = all.map(({ workflow, head }) => ({ workflow, head: head.seq }));
        const changes = await store.readChanges(after);
        return after === null ? { ...changes, changed } : changes;
      },
    }),
  ),
  broken(
    "names a workflow once for every record",
    "names every workflow whose head moved, once, with the head it has now",
    (store) => telling(store, ({ changed }) => ({ changed: [...changed, ...changed] })),
  ),
  broken(
    "tells of a head that was",
    "names every workflow whose head moved, once, with the head it has now",
    (store) =>
      telling(store, ({ changed }) => ({
        changed: changed.map(({ workflow, head }) => ({ workflow, head: head - 1 })),
      })),
  ),
  broken(
    "never moves its cursor on",
    "goes on from its last answer, and an older cursor can be used again",
    (store) => telling(store, (_, after) => (after === null ? {} : { cursor: after })),
  ),
  broken(
    "takes every commit that was asked for as a change",
    "names nothing for what moved no head",
    (store) => {
      const asked = new Set<string>();
      return {
        commit: async (changes) => {
          for (const { workflow } of changes) asked.add(workflow);
          return store.commit(changes);
        },
        ...telling(store, () => ({
          changed: [...asked].map((workflow) => ({ workflow, head: 1 })),
        })),
      };
    },
  ),
  broken(
    "takes its cursor some time after it has looked",
    "passes over no change that is committed while the changes are read",
    (store) =>
      telling(store, async () => {
        await new Promise(setImmediate);
        return { cursor: (await store.readChanges(null)).cursor };
      }),
  ),
  broken(
    "begins anew with a cursor it does not know",
    "refuses a cursor that it did not give out",
    (store) => ({
      readChanges: (after) => store.readChanges(after).catch(() => store.readChanges(null)),
    }),
  ),
];

/** What a store tells of its own accord or in passing: who is there, what came, what moved. */
export const brokenNews: readonly BrokenStore[] = [
  ...brokenRegistrations,
  ...brokenCensuses,
  ...brokenWatches,
  ...brokenChanges,
];
