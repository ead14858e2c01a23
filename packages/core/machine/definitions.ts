import { contentHash } from "../canonical/index.ts";
import { definitionHash } from "./compile-machine.ts";
import type { SetDeclaration } from "./declaration.ts";
import { machineName } from "./names.ts";

/**
 * What each machine is to the cells it has, as `<machine> <hash>`: what it declares, where it is
 * subscribed and what comes from there. Code alone is not in it: it may be mended at any time.
 */
export function definitionsOf({
  workflow,
  machines,
  topics,
}: Pick<SetDeclaration, "workflow" | "machines" | "topics">): readonly string[] {
  return machines
    .map((machine) => {
      const name = machineName({ workflow, machine: machine.name, version: machine.version });
      const schemas = machine.subscribe.map(({ topic }) => {
        return topics.find((each) => each.name === topic)?.schema ?? null;
      });
      const { subscribe } = machine;
      return `${name} ${contentHash({ hash: definitionHash(name, machine), subscribe, schemas })}`;
    })
    .sort();
}
