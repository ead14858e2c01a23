import { Command } from "commander";
import { type AskOptions, ask, type Body, common, parsed } from "../asking.ts";
import { example } from "../group.ts";

/** For programs, and for what has no command of its own. */
export function askCommand(): Command {
  const command = common(
    new Command("ask")
      .argument("<workflow>")
      .argument("<kind>", "such as stop_run")
      .argument("[body]", 'such as \'{"runId":"r12"}\'', "{}"),
  ).action(async (workflow: string, kind: string, body: string, options: AskOptions) => {
    const given = parsed(body, "the body") as Body;
    await ask(workflow, { kind, body: given }, options);
  });
  return example(command, `ask orders stop_run '{"runId":"r12"}' --key stop-r12`);
}
