import { type BrokenStore, broken } from "./broken-store.ts";

export const brokenAwaiting: readonly BrokenStore[] = [
  broken(
    "lists workflows by another executor's calls",
    "lists the workflows with a call that waits for an executor, each once, in pages",
    (store) => ({
      listAwaiting: async (_, after, limit) => store.listAwaiting("http", after, limit),
    }),
  ),
  broken(
    "begins each page anew",
    "lists the workflows with a call that waits for an executor, each once, in pages",
    (store) => ({
      listAwaiting: async (executor, _, limit) => store.listAwaiting(executor, null, limit),
    }),
  ),
  broken(
    "lists what waited once",
    "lists none any more when no call of it waits for the executor",
    (store) => ({
      listAwaiting: async () => (await store.listWorkflows(null, 100)).map((each) => each.workflow),
    }),
  ),
  broken(
    "gives out what waits for an executor as if it were due",
    "what waits for an executor is neither due nor claimed",
    (store) => ({
      claim: async (incarnation, limit) => {
        const answer = await store.claim(incarnation, limit);
        const claims = [...answer.claims];
        for (const workflow of await store.listAwaiting("http", null, limit)) {
          const claim = await store.claimOne(incarnation, workflow);
          if (claim !== null) claims.push(claim);
        }
        return { ...answer, claims };
      },
    }),
  ),
  broken(
    "gives by its name only what is due",
    "gives one workflow by its name, due or not, with a new epoch",
    (store) => ({
      claimOne: async (incarnation, workflow) => {
        const { claims } = await store.claim(incarnation, 1);
        return claims.find((claim) => claim.workflow === workflow) ?? null;
      },
    }),
  ),
  broken(
    "gives one workflow by its name to a second owner",
    "never gives one workflow by its name while somebody has it",
    (store) => ({
      claimOne: async (incarnation, workflow) => {
        const all = await store.listWorkflows(null, 100);
        const found = all.find((each) => each.workflow === workflow);
        if (found?.owner) await store.release(found.owner, found);
        return store.claimOne(incarnation, workflow);
      },
    }),
  ),
  broken(
    "gives one workflow by its name to whoever asks",
    "gives one workflow by its name to no host that is dead or was never opened",
    (store) => ({
      claimOne: async (incarnation, workflow) =>
        (await store.claimOne(incarnation, workflow)) ?? { workflow, epoch: 2, unclean: false },
    }),
  ),
  broken(
    "forgets that an owner has died",
    "one workflow that is given by its name stays unclean until its owner commits",
    (store) => ({
      claimOne: async (...wanted) => {
        const claim = await store.claimOne(...wanted);
        return claim && { ...claim, unclean: false };
      },
    }),
  ),
];
