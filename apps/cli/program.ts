import { type Command, CommanderError } from "commander";
import { commandTree } from "./command-tree.ts";
import { exitCodes, reportError, reportUsage } from "./report-error.ts";
import { UsageError } from "./store-place.ts";
import { allowUnreadOutput } from "./unread-output.ts";
import { applyConfig } from "./with-config.ts";

const words = process.argv.slice(2);
const json = words.includes("--json");
const program = await commandTree(words);

/** The host reads it by itself, and what makes a folder has none yet. */
const withoutConfig: readonly string[] = ["start", "init"];
program.hook("preAction", async (_, action) => {
  if (!withoutConfig.includes(action.name())) await applyConfig();
});

for (const command of [program, ...program.commands, ...program.commands.flatMap(innerOf)]) {
  command.exitOverride();
  // What is wrong is then said once, as JSON.
  if (json) command.configureOutput({ writeErr: () => {} });
}

function innerOf(command: Command): readonly Command[] {
  return command.commands;
}

/** Commander has said it already, unless it was kept from it. */
function endOf(error: CommanderError): number {
  if (error.exitCode === 0) return 0;
  if (!json) return exitCodes.usage;
  // A command that has only inner ones shows its help, and says nothing.
  const isSilent = error.code === "commander.help";
  const said = error.message.replace(/^error: /, "");
  return reportUsage(isSilent ? "a command is missing; see --help" : said, json);
}

/** The first command of a group is meant without a verb; one that needs words cannot be. */
function groupAlone(): Command | undefined {
  const [name = "", ...others] = words;
  if (others.some((word) => word !== "--json")) return undefined;
  const group = program.commands.find((each) => [each.name(), ...each.aliases()].includes(name));
  const [first] = group?.commands ?? [];
  return first?.registeredArguments.some(({ required }) => required) ? group : undefined;
}

const hosts: readonly string[] = ["start", "dev"];
allowUnreadOutput({ goesOn: hosts.includes(process.argv[2] ?? "") });

/** What a command was once called: whoever still types it is told what to type. */
const movedTo: Readonly<Record<string, string>> = {
  question: "attention show",
  pause: "workflow pause",
  resume: "workflow resume",
  "run-now": "workflow run-now",
  "skip-event": "events skip",
  "reprocess-event": "events reprocess",
  "skip-input": "inputs skip",
  "reprocess-input": "inputs reprocess",
  "reset-topic": "topics reset",
  "reset-producer": "producer reset",
  retry: "runs retry",
  "release-brake": "brake off",
  "brake-all": "brake on --all",
  "release-brake-all": "brake off --all",
  "repair-request": "repair show",
  "resume-affected": "connect resume",
  seal: "secrets seal",
};

try {
  const [word = ""] = words;
  const moved = Object.hasOwn(movedTo, word) ? movedTo[word] : undefined;
  if (moved !== undefined) throw new UsageError(`${word} is now: holdfast ${moved} …`);
  groupAlone()?.help({ error: true });
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = endOf(error);
  else if (error instanceof UsageError) process.exitCode = reportUsage(error.message, json);
  else process.exitCode = reportError(error, json);
}
