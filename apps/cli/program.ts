import { Command, CommanderError } from "commander";
import { answerCommand } from "./commands/answer.ts";
import { approveCommand } from "./commands/approve.ts";
import { approveAllCommand } from "./commands/approve-all.ts";
import { askCommands } from "./commands/ask.ts";
import { attentionCommand } from "./commands/attention.ts";
import { brakeAllCommands } from "./commands/brake-all.ts";
import { grantsCommand } from "./commands/grants.ts";
import { listCommands } from "./commands/lists.ts";
import { loginLinkCommand } from "./commands/login-link.ts";
import { policyCommand } from "./commands/policy.ts";
import { questionCommand } from "./commands/question.ts";
import { rejectCommand } from "./commands/reject.ts";
import { repairRequestCommand } from "./commands/repair-request.ts";
import { resumeAffectedCommand } from "./commands/resume-affected.ts";
import { startCommand } from "./commands/start.ts";
import { traceCommand } from "./commands/trace.ts";
import { whyCommand } from "./commands/why.ts";
import { workflowsCommand } from "./commands/workflows.ts";
import { commandsFor } from "./later-commands.ts";
import { exitCodes, reportError, reportUsage } from "./report-error.ts";
import { UsageError } from "./store-place.ts";

const environment = `
Environment:
  HOLDFAST_DATA          data folder of a store on SQLite (default .holdfast); --data decides
  HOLDFAST_POSTGRES_URL  postgres://user@host:5432/database, for a store on PostgreSQL instead
  PGPASSWORD             its password; or PGPASSFILE, a file such as ~/.pgpass
  PGHOST, PGPORT, PGUSER, PGDATABASE, PGSSLMODE
                         what HOLDFAST_POSTGRES_URL leaves out
  HOLDFAST_URL, HOLDFAST_TOKEN
                         a running host, if not that of the data folder, and who asks it
  HOLDFAST_KEY, HOLDFAST_KEY_FILE
                         key of sealed credentials (default: the file "key" in the data folder)
  HOLDFAST_TOKENS        file that holds who has a token (default: tokens.json in the data folder)
  HOLDFAST_LISTEN, HOLDFAST_PORT, HOLDFAST_TLS_CERT, HOLDFAST_TLS_KEY, HOLDFAST_NAMES,
  HOLDFAST_ACCOUNTS, HOLDFAST_SECRETS, HOLDFAST_WORKFLOWS, HOLDFAST_LEASE_MS,
  HOLDFAST_PAUSE_MS, HOLDFAST_POLICY
                         of \`holdfast start\`: docs/operating/host.md
`;

const program = new Command("holdfast")
  .description("A durable host for automations that language models write and people answer for.")
  .version("0.1.0")
  .addHelpText("afterAll", environment);

/** In the order of the help. */
const commands = [
  startCommand(),
  workflowsCommand(),
  attentionCommand(),
  questionCommand(),
  answerCommand(),
  approveCommand(),
  approveAllCommand(),
  rejectCommand(),
  grantsCommand(),
  whyCommand(),
  traceCommand(),
  ...listCommands(),
  ...askCommands(),
  ...brakeAllCommands(),
  policyCommand(),
  repairRequestCommand(),
  resumeAffectedCommand(),
  loginLinkCommand(),
  ...(await commandsFor(process.argv.slice(2))),
];
for (const command of commands) program.addCommand(command);

const json = process.argv.includes("--json");

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

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = endOf(error);
  else if (error instanceof UsageError) process.exitCode = reportUsage(error.message, json);
  else process.exitCode = reportError(error, json);
}
