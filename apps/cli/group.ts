import type { Command } from "commander";
import { Command as Group } from "commander";

/** What can be done with one kind of thing. Without a verb it is the first: mostly, to list. */
export function group(name: string, [first, ...others]: readonly [Command, ...Command[]]): Command {
  const command = new Group(name).addCommand(first, { isDefault: true });
  for (const each of others) command.addCommand(each);
  return command;
}

/** What every command takes that goes to a host. */
export function onHost(command: Command): Command {
  return command
    .option("--data <folder>", "data folder of the running host")
    .option("--json", "one line of JSON", false);
}

export function example(command: Command, ...lines: readonly string[]): Command {
  const head = lines.length === 1 ? "Example:" : "Examples:";
  return command.addHelpText(
    "after",
    `\n${head}\n${lines.map((line) => `  holdfast ${line}`).join("\n")}`,
  );
}
