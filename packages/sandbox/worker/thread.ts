import { receiveMessageOnPort, workerData } from "node:worker_threads";
import type { Answered, Asked, SliceAnswer, ThreadStart } from "./protocol.ts";
import { SliceServer } from "./serve.ts";

const { port, sentBack, ...start } = workerData as ThreadStart;
const server = new SliceServer(start);

/** After an answer the next request often comes at once; waking a thread takes longer than this. */
const lookOutMs = 0.3;

port.on("message", (first: readonly Asked[]) => {
  for (let all: readonly Asked[] | null = first; all !== null; all = nextAsked(all)) {
    for (const asked of all) answer(asked);
  }
});

/** At once: if the next one hangs, this answer is out. */
function answer({ number, request }: Asked): void {
  const isSentBack = number <= Atomics.load(sentBack, 1) && number > Atomics.load(sentBack, 0);
  const startedAt = performance.now();
  const answer = isSentBack ? null : server.serve(request);
  const answered: Answered = { number, answer, tookMs: performance.now() - startedAt };
  port.postMessage(answered, ownBuffers(answer));
}

/** Among many it does not look out: whoever would ask next may need the processor for that. */
function nextAsked(last: readonly Asked[]): readonly Asked[] | null {
  const isAlone = last.at(-1)?.isAlone === true;
  const until = isAlone ? performance.now() + lookOutMs : 0;
  do {
    const received = receiveMessageOnPort(port);
    if (received !== undefined) return received.message as readonly Asked[];
  } while (isAlone && performance.now() < until);
  return null;
}

/** An image on its way belongs to its run alone. */
function ownBuffers(answer: SliceAnswer | null): ArrayBuffer[] {
  if (answer?.kind !== "run") return [];
  return answer.ends.flatMap((end) =>
    end.kind === "waiting" && end.image.bytes instanceof ArrayBuffer ? [end.image.bytes] : [],
  );
}

port.postMessage("ready");
