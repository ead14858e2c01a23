import { type Check, problemOf } from "./check-context.ts";

/** R2, R5: something can run, and only a phase that may publish says that it does. */
export const definitionRules: Check = (context) => {
  const { producers, consumers, jobs, machines } = context.manifest;
  const silent = consumers
    .filter(({ publishes, next }) => publishes !== null && !next)
    .map(({ name }) => {
      const cause = `${name} declares \`publishes\` but has no \`next\`.`;
      const path = ["consumers", name, "publishes"];
      return problemOf(context, path, "publish_without_next", cause);
    });
  if (producers.length + consumers.length + jobs.length + machines.length > 0) return silent;
  return [...silent, problemOf(context, [], "no_handler", "The workflow declares no handler.")];
};
