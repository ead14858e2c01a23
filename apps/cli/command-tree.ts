import { Command, Help } from "commander";
import { commandsFor, termOf } from "./command-list.ts";

const exitCodeText = `
Exit codes:
  0  done
  1  it was done, and found something wrong (verify, validate, doctor)
  2  the command line made no sense; nothing was done
  3  it could not be done; the code that is printed has a page in docs/errors

What only looks asks the host that runs on the data folder, or reads the store itself if none
does, and says which. What changes something always asks the host, and so does \`machine\`, whose
states come about by running scripts. A change that no host has answered in time is taken in: it
ends with 0, says so, and has \`"accepted":null\` with --json.
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
  HOLDFAST_PAUSE_MS, HOLDFAST_POLICY, HOLDFAST_EXECUTORS
                         of \`holdfast start\`: docs/operating/host.md
  HOLDFAST_CONFIG        a config file (default: holdfast.config.ts in this folder)
`;

function plainTermOf(command: Command): string {
  return new Help().subcommandTerm(command);
}

function bareProgram(): Command {
  return new Command("holdfast")
    .description("A durable host for automations that language models write and people answer for.")
    .version("0.1.0")
    .configureHelp({ subcommandTerm: (command) => termOf(command) ?? plainTermOf(command) })
    .addHelpText("after", exitCodeText)
    .addHelpText("afterAll", environment);
}

/** Words = what was typed, by which it is known what is needed. */
export async function commandTree(words: readonly string[]): Promise<Command> {
  const program = bareProgram();
  for (const command of await commandsFor(words)) program.addCommand(command);
  return program;
}
