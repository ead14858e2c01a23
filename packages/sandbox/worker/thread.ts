import { receiveMessageOnPort, workerData } from "node:worker_threads";
import type { SliceAnswer, SliceRequest, ThreadStart } from "./protocol.ts";
import { SliceServer } from "./serve.ts";

const { port, ...start } = workerData as ThreadStart;
const server = new SliceServer(start);

/** After an answer the next request often comes at once; waking a thread takes longer than this. */
const lookOutMs = 0.3;

port.on("message", (first: SliceRequest) => {
  for (let request: SliceRequest | null = first; request !== null; request = nextRequest()) {
    const answer = server.serve(request);
    port.postMessage(answer, ownBuffers(answer));
  }
});

function nextRequest(): SliceRequest | null {
  const until = performance.now() + lookOutMs;
  do {
    const received = receiveMessageOnPort(port);
    if (received !== undefined) return received.message as SliceRequest;
  } while (performance.now() < until);
  return null;
}

/** An image on its way belongs to its run alone. */
function ownBuffers(answer: SliceAnswer): ArrayBuffer[] {
  if (answer.kind !== "run") return [];
  return answer.ends.flatMap((end) =>
    end.kind === "waiting" && end.image.bytes instanceof ArrayBuffer ? [end.image.bytes] : [],
  );
}

port.postMessage("ready");
