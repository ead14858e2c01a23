import type { EngineOptions } from "@holdfast/host";
import { log } from "./host-log.ts";

type Observer = NonNullable<EngineOptions["observer"]>;

type Lost = { readonly text: string; readonly exitCode: number };

/** Says what an operator of the process has to know, a line each; quiet while all is well. */
export function reporter(): { readonly observer: Observer; readonly lost: Promise<Lost> } {
  const { promise: lost, resolve } = Promise.withResolvers<Lost>();
  const observer: Observer = {
    onTrouble: (trouble) => {
      const ids = trouble.doing === "work" ? { workflow: trouble.workflow } : {};
      const what = trouble.doing === "work" ? `work for ${trouble.workflow}` : trouble.doing;
      log.complain(`${what} failed and is tried again: ${trouble.cause}`, ids);
    },
    onLost: (reason) => {
      const text = `The lease is lost (${reason.kind}): another host goes on with the work.`;
      resolve({ text, exitCode: 4 });
    },
    onBroken: (workflow, note) =>
      log.complain(`${workflow}: stopped on this host, because of a mistake: ${note}`, {
        workflow,
      }),
    onLateAnswerLost: ({ workflow, mutationId, error }) =>
      log.complain(`${workflow}: a late answer to ${mutationId} could not be kept: ${error}`, {
        workflow,
        mutationId,
      }),
    onTooNew: (workflows) =>
      log.complain(`written by a newer Holdfast, and left alone: ${workflows.join(", ")}`),
  };
  return { observer, lost };
}
