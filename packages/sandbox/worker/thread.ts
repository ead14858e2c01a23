import { receiveMessageOnPort, workerData } from "node:worker_threads";
import type { Answered, Asked, SliceAnswer, ThreadStart } from "./protocol.ts";
import { SliceServer } from "./serve.ts";

const { port, sentBack, ...start } = workerData as ThreadStart;
const server = new SliceServer(start);

/** After an answer the next request often comes at once; waking a thread takes longer than this. */
const lookOutMs = 0.3;

port.on("message", (first: Asked) => {
  for (let asked: Asked | null = first; asked !== null; asked = nextAsked(asked)) {
    const { number, request } = asked;
    const isSentBack = number <= Atomics.load(sentBack, 1) && number > Atomics.load(sentBack, 0);
    const answer = isSentBack ? null : server.serve(request);
    const answered: Answered = { number, answer };
    port.postMessage(answered, ownBuffers(answer));
  }
});

/** Among many it does not look out: whoever would ask next may need the processor for that. */
function nextAsked({ isAlone }: Asked): Asked | null {
  const until = isAlone ? performance.now() + lookOutMs : 0;
  do {
    const received = receiveMessageOnPort(port);
    if (received !== undefined) return received.message as Asked;
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
