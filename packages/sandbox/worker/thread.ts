import { parentPort, workerData } from "node:worker_threads";
import type { SliceAnswer, SliceRequest, WorkerStart } from "./protocol.ts";
import { SliceServer } from "./serve.ts";

const server = new SliceServer(workerData as WorkerStart);

parentPort?.on("message", (request: SliceRequest) => {
  const answer = server.serve(request);
  parentPort?.postMessage(answer, ownBuffers(answer));
});

/** An image on its way belongs to its run alone. */
function ownBuffers(answer: SliceAnswer): ArrayBuffer[] {
  if (answer.kind !== "run") return [];
  return answer.ends.flatMap((end) =>
    end.kind === "waiting" && end.image.bytes instanceof ArrayBuffer ? [end.image.bytes] : [],
  );
}

parentPort?.postMessage("ready");
