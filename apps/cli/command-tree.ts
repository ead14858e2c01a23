import { Command } from "commander";
import { answerCommand } from "./commands/answer.ts";
import { approveCommand } from "./commands/approve.ts";
import { approveAllCommand } from "./commands/approve-all.ts";
import { askCommand } from "./commands/ask.ts";
import { attentionCommand } from "./commands/attention.ts";
import { auditCommand } from "./commands/audit.ts";
import { brakeCommand } from "./commands/brake.ts";
import { connectCommand } from "./commands/connect.ts";
import { editCommand } from "./commands/edit.ts";
import { eventsCommand, publishCommand } from "./commands/events.ts";
import { grantsCommand } from "./commands/grants.ts";
import { inputsCommand } from "./commands/inputs.ts";
import { itemsCommand } from "./commands/items.ts";
import { journalCommand } from "./commands/journal.ts";
import { loginLinkCommand } from "./commands/login-link.ts";
import { machineCommand } from "./commands/machine.ts";
import { mutationsCommand } from "./commands/mutations.ts";
import { outputsCommand } from "./commands/outputs.ts";
import { policiesCommand } from "./commands/policies.ts";
import { producerCommand } from "./commands/producer.ts";
import { rejectCommand } from "./commands/reject.ts";
import { repairCommand } from "./commands/repair.ts";
import { runsCommand } from "./commands/runs.ts";
import { startCommand } from "./commands/start.ts";
import { topicsCommand } from "./commands/topics.ts";
import { traceCommand } from "./commands/trace.ts";
import { whyCommand } from "./commands/why.ts";
import { workflowCommand } from "./commands/workflow.ts";
import { commandsFor } from "./later-commands.ts";

const exitCodeText = `
Exit codes:
  0  done
  1  it was done, and found something wrong (verify, validate, doctor)
  2  the command line made no sense; nothing was done
  3  it could not be done; the code that is printed has a page in docs/errors

What only looks asks the host that runs on the data folder, or reads the store itself if none
does, and says which. What changes something always asks the host.
`;

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
  HOLDFAST_CONFIG        a config file (default: holdfast.config.ts in this folder)
`;

function bareProgram(): Command {
  return new Command("holdfast")
    .description("A durable host for automations that language models write and people answer for.")
    .version("0.1.0")
    .addHelpText("after", exitCodeText)
    .addHelpText("afterAll", environment);
}

/** In the order of the help. Words = what was typed, by which it is known what is needed. */
export async function commandTree(words: readonly string[]): Promise<Command> {
  const program = bareProgram();
  const commands = [
    startCommand(),
    workflowCommand(),
    topicsCommand(),
    eventsCommand(),
    publishCommand(),
    inputsCommand(),
    outputsCommand(),
    producerCommand(),
    runsCommand(),
    mutationsCommand(),
    itemsCommand(),
    machineCommand(),
    whyCommand(),
    traceCommand(),
    attentionCommand(),
    answerCommand(),
    approveCommand(),
    approveAllCommand(),
    editCommand(),
    rejectCommand(),
    grantsCommand(),
    policiesCommand(),
    connectCommand(),
    repairCommand(),
    brakeCommand(),
    journalCommand(),
    auditCommand(),
    askCommand(),
    loginLinkCommand(),
    ...(await commandsFor(words)),
  ];
  for (const command of commands) program.addCommand(command);
  return program;
}
