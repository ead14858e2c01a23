import { expect, test } from "vitest";
import { ClaimHistory } from "./claim-history.ts";

const leaseMs = 100;
const around = (at: number) => ({ startedAt: at - 1, endedAt: at + 1 });

/** The first host claims at 10 and its lease lasts until 110. */
function begin(): ClaimHistory {
  const history = new ClaimHistory(leaseMs);
  history.addGrant("one", 10);
  history.addClaim({ workflow: "w", epoch: 1, host: "one", unclean: false, ...around(10) });
  return history;
}

function claimNext(history: ClaimHistory, at: number, set: { unclean: boolean; epoch?: number }) {
  history.addClaim({ workflow: "w", epoch: 2, host: "two", ...around(at), ...set });
}

/** The second host gives it back, while its lease lasts. */
function claimThird(history: ClaimHistory, set: { unclean: boolean }) {
  history.addGrant("two", 119);
  history.addRelease({ host: "two", workflow: "w", ...around(125) });
  history.addClaim({ workflow: "w", epoch: 3, host: "three", ...around(130), ...set });
}

test("a release, a closed host and a lease that ran out explain the next claim", () => {
  const released = begin();
  released.addRelease({ host: "one", workflow: "w", ...around(20) });
  claimNext(released, 30, { unclean: false });
  const closed = begin();
  closed.addRelease({ host: "one", workflow: null, ...around(20) });
  claimNext(closed, 30, { unclean: false });
  const expired = begin();
  claimNext(expired, 120, { unclean: true });
  const stillUnclean = begin();
  claimNext(stillUnclean, 120, { unclean: true });
  claimThird(stillUnclean, { unclean: true });
  const committed = begin();
  claimNext(committed, 120, { unclean: true });
  committed.addCommit({ workflow: "w", epoch: 2, ...around(123) });
  claimThird(committed, { unclean: false });
  for (const history of [released, closed, expired, stillUnclean, committed]) {
    expect(history.findProblems()).toEqual([]);
  }
});

test.each<readonly [string, RegExp, (history: ClaimHistory) => void]>([
  [
    "one epoch for two",
    /given to one too/,
    (it) => claimNext(it, 120, { unclean: true, epoch: 1 }),
  ],
  ["nobody let go", /nobody had released it/, (it) => claimNext(it, 120, { unclean: false })],
  ["its host lives", /a host that lives/, (it) => claimNext(it, 50, { unclean: true })],
  [
    "it is forgotten that an owner died",
    /nothing was committed since/,
    (it) => {
      claimNext(it, 120, { unclean: true });
      claimThird(it, { unclean: false });
    },
  ],
  [
    "a heartbeat was granted to the dead",
    /told it lives/,
    (it) => {
      it.addGrave("one", 150);
      it.addGrant("one", 160);
    },
  ],
  [
    "a commit of an old epoch",
    /committed after the next one/,
    (it) => {
      claimNext(it, 120, { unclean: true });
      it.addCommit({ workflow: "w", epoch: 1, ...around(130) });
    },
  ],
])("a history in which %s is seen to be wrong", (_, complaint, tell) => {
  const history = begin();
  tell(history);
  expect(history.findProblems().join("; ")).toMatch(complaint);
});
