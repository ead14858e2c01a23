import type { EngineOptions } from "@holdfast/host";
import { plainText } from "@holdfast/protocol/plain-text";

type Observer = NonNullable<EngineOptions["observer"]>;
/** A script or a service may have a say in the text. */
function complain(line: string): void {
  console.error(plainText(line));
}

type Lost = { readonly text: string; readonly exitCode: number };

/** Says what an operator of the process has to know, a line each; quiet while all is well. */
export function reporter(): { readonly observer: Observer; readonly lost: Promise<Lost> } {
  const { promise: lost, resolve } = Promise.withResolvers<Lost>();
  const observer: Observer = {
    onTrouble: (trouble) => {
      const what = trouble.doing === "work" ? `work for ${trouble.workflow}` : trouble.doing;
      complain(`${what} failed and is tried again: ${trouble.cause}`);
    },
    onLost: (reason) => {
      const text = `The lease is lost (${reason.kind}): another host goes on with the work.`;
      resolve({ text, exitCode: 4 });
    },
    onBroken: (workflow, note) =>
      complain(`${workflow}: stopped on this host, because of a mistake: ${note}`),
    onLateAnswerLost: ({ workflow, mutationId, error }) =>
      complain(`${workflow}: a late answer to ${mutationId} could not be kept: ${error}`),
    onTooNew: (workflows) =>
      complain(`written by a newer Holdfast, and left alone: ${workflows.join(", ")}`),
  };
  return { observer, lost };
}
