import { shortHash } from "./short-hash.ts";

/** A publish without an id gets one that a retry of the same run chain will make again. */
export function generatedMessageId(origin: {
  readonly workflow: string;
  readonly handler: string;
  readonly rootRunId: string;
  readonly publishIndex: number;
}): string {
  const { workflow, handler, rootRunId, publishIndex } = origin;
  return `gen_${shortHash([workflow, handler, rootRunId, publishIndex])}`;
}
