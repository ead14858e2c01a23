import type { Instant, Store } from "@holdfast/core";
import { type BrokenStore, broken } from "./broken-store.ts";

async function releaseAll(store: Store): Promise<void> {
  for (const { owner, ...owned } of await store.listWorkflows(null, 1000)) {
    if (owner !== null) await store.release(owner, owned);
  }
}

const brokenInboxes: readonly BrokenStore[] = [
  broken(
    "accepts a repeated command twice",
    "takes the same command twice as one [R158]",
    (store) => {
      let count = 0;
      return {
        appendCommand: (command) =>
          store.appendCommand({ ...command, commandId: `${command.commandId}#${++count}` }),
      };
    },
  ),
  broken(
    "takes an id that comes again with another body for a repetition",
    "refuses an id that comes again with another body or kind [R158]",
    (store) => ({
      appendCommand: (command) =>
        store.appendCommand(command).catch(() => ({ position: 1, duplicate: true, verdict: null })),
    }),
  ),
  broken(
    "gives answered commands again",
    "gives only commands after inboxThrough [R158]",
    (store) => {
      const all: Awaited<ReturnType<Store["readInbox"]>>[number][] = [];
      return {
        appendCommand: async (command) => {
          const receipt = await store.appendCommand(command);
          all.push({ ...command, position: receipt.position });
          return receipt;
        },
        readInbox: async (_, limit) => all.slice(0, limit),
      };
    },
  ),
  broken(
    "gives the newest command first",
    "gives commands back in the order they came, as they came [R158]",
    (store) => ({
      readInbox: async (...wanted) => (await store.readInbox(...wanted)).toReversed(),
    }),
  ),
  broken(
    "does not find verdicts",
    "finds the verdict of an answered command, for a waiting or repeated caller [R158]",
    () => ({ findVerdict: async () => null }),
  ),
];

const brokenLeases: readonly BrokenStore[] = [
  broken(
    "loses the wake-up of a command that a commit overtakes",
    "a command that comes before a commit with a later due time still wakes the workflow",
    (store, { clock }) => {
      const dueAt = new Map<string, Instant | null>();
      return {
        appendCommand: async (command) => {
          dueAt.set(command.workflow, clock());
          return store.appendCommand(command);
        },
        commit: async (changes) => {
          for (const change of changes) dueAt.set(change.workflow, change.dueAt);
          return store.commit(changes);
        },
        claim: async (...wanted) => {
          const answer = await store.claim(...wanted);
          const isDue = (due: Instant | null) => due !== null && due <= clock();
          const claims = answer.claims.filter(({ workflow }) => isDue(dueAt.get(workflow) ?? null));
          return { ...answer, claims };
        },
      };
    },
  ),
  broken(
    "gives a workflow away while its owner lives",
    "never gives a workflow to a second host while the first lives",
    (store) => ({
      claim: async (...wanted) => {
        await releaseAll(store);
        return store.claim(...wanted);
      },
    }),
  ),
  broken("gives the old epoch", "gives the owner a new epoch with each claim", (store) => ({
    claim: async (...wanted) => {
      const answer = await store.claim(...wanted);
      const claims = answer.claims.map((claim) => ({ ...claim, epoch: claim.epoch - 1 }));
      return { ...answer, claims };
    },
  })),
  broken(
    "calls every takeover clean",
    "gives a workflow to another host when the lease has run out, and says it was unclean",
    (store) => ({
      claim: async (...wanted) => {
        const answer = await store.claim(...wanted);
        return { ...answer, claims: answer.claims.map((claim) => ({ ...claim, unclean: false })) };
      },
    }),
  ),
  broken(
    "forgets with the release that an owner died",
    "finds a workflow unclean and due until somebody commits, whoever gave it back meanwhile",
    (store) => {
      const released = new Set<string>();
      return {
        release: async (incarnation, owned) => {
          released.add(owned.workflow);
          await store.release(incarnation, owned);
        },
        claim: async (...wanted) => {
          const answer = await store.claim(...wanted);
          const claims = answer.claims.map((claim) => ({
            ...claim,
            unclean: claim.unclean && !released.has(claim.workflow),
          }));
          return { ...answer, claims };
        },
      };
    },
  ),
  broken(
    "releases whatever the host owns by now",
    "does nothing when a release comes after the workflow was claimed anew",
    (store) => ({
      release: async (incarnation, { workflow }) => {
        const { epoch } = await store.load(workflow, []);
        await store.release(incarnation, { workflow, epoch });
      },
    }),
  ),
  broken(
    "claims in the order of names",
    "gives no more than the limit, longest overdue first",
    (store) => ({
      claim: async (incarnation, limit) => {
        const { claims, tooNew } = await store.claim(incarnation, 1000);
        const byName = claims.toSorted((a, b) => (a.workflow < b.workflow ? -1 : 1));
        for (const claim of byName.slice(limit)) await store.release(incarnation, claim);
        return { claims: byName.slice(0, limit), tooNew };
      },
    }),
  ),
  broken(
    "lets leases last for ever",
    "gives a workflow to another host when the lease has run out, and says it was unclean",
    (store) => ({
      openHost: ({ incarnation }) => store.openHost({ incarnation, leaseMs: 1e12 }),
    }),
  ),
  broken(
    "says yes to every heartbeat",
    "tells a host whose lease ran out that it is over, and stays with it",
    () => ({ heartbeat: async () => true }),
  ),
  broken(
    "renews a lease that ran out",
    "tells a host whose lease ran out that it is over, and stays with it",
    (store) => ({
      heartbeat: async (incarnation) => {
        const lives = await store.heartbeat(incarnation);
        if (lives) return true;
        await store.closeHost(incarnation);
        await store.openHost({ incarnation, leaseMs: 1000 });
        return false;
      },
    }),
  ),
  broken(
    "keeps the workflows of a host that closes",
    "releases everything of a host that closes, at once and clean",
    () => ({ closeHost: async () => {} }),
  ),
  broken(
    "lets anybody release",
    "does nothing when a host releases what it does not own",
    (store) => ({ release: () => releaseAll(store) }),
  ),
  broken("tells of no due time", "tells when the next workflow nobody owns is due", () => ({
    nextDueAt: async () => null,
  })),
];

export const brokenOwners: readonly BrokenStore[] = [...brokenInboxes, ...brokenLeases];
