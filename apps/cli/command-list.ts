import { Command } from "commander";

/** What the help says of a command; its code is read when the command is meant, and only then. */
type ListedCommand = {
  readonly name: string;
  readonly alias?: string;
  /** After its name in the list. Absent = only the name is shown. */
  readonly takes?: string;
  readonly description: string;
  readonly load: () => Promise<Command>;
};

/** In the order of the help. */
const listedCommands: readonly ListedCommand[] = [
  {
    name: "start",
    takes: "[options]",
    description: "work: open the store, verify it, run the deployed workflows, serve the API",
    load: async () => (await import("./commands/start.ts")).startCommand(),
  },
  {
    name: "workflow",
    alias: "workflows",
    description: "workflows: what they are doing, and stopping or starting them",
    load: async () => (await import("./commands/workflow.ts")).workflowCommand(),
  },
  {
    name: "topics",
    description: "the topics of a workflow",
    load: async () => (await import("./commands/topics.ts")).topicsCommand(),
  },
  {
    name: "events",
    description: "what is in the topics of a workflow",
    load: async () => (await import("./commands/events.ts")).eventsCommand(),
  },
  {
    name: "publish",
    takes: "[options] <workflow> <topic> <messageId> <payload>",
    description: "add an event by hand",
    load: async () => (await import("./commands/events.ts")).publishCommand(),
  },
  {
    name: "inputs",
    description: "what came in from outside",
    load: async () => (await import("./commands/inputs.ts")).inputsCommand(),
  },
  {
    name: "outputs",
    takes: "[options] <workflow>",
    description: "what was done outside and published, and which inputs caused it",
    load: async () => (await import("./commands/outputs.ts")).outputsCommand(),
  },
  {
    name: "producer",
    description: "the producers of a workflow",
    load: async () => (await import("./commands/producer.ts")).producerCommand(),
  },
  {
    name: "runs",
    description: "every attempt of every handler",
    load: async () => (await import("./commands/runs.ts")).runsCommand(),
  },
  {
    name: "mutations",
    description: "the ledger: every outside change of a workflow",
    load: async () => (await import("./commands/mutations.ts")).mutationsCommand(),
  },
  {
    name: "items",
    description: "what the jobs of a workflow work on, with every attempt",
    load: async () => (await import("./commands/items.ts")).itemsCommand(),
  },
  {
    name: "machine",
    description: "the state machines of a workflow",
    load: async () => (await import("./commands/machine.ts")).machineCommand(),
  },
  {
    name: "why",
    takes: "[options] <workflow> [id]",
    description: "why a workflow, run, event or input waits, or what became of it",
    load: async () => (await import("./commands/why.ts")).whyCommand(),
  },
  {
    name: "trace",
    takes: "[options] <workflow> <run>",
    description: "what a run did, phase by phase: its calls, its log, how it ended",
    load: async () => (await import("./commands/trace.ts")).traceCommand(),
  },
  {
    name: "attention",
    description: "what needs a person",
    load: async () => (await import("./commands/attention.ts")).attentionCommand(),
  },
  {
    name: "answer",
    takes: "[options] <workflow> <question> <answer>",
    description: "answer an open question",
    load: async () => (await import("./commands/answer.ts")).answerCommand(),
  },
  {
    name: "approve",
    takes: "[options] <workflow> <question>",
    description: "agree to the call a question is about: exactly what is shown is sent",
    load: async () => (await import("./commands/approve.ts")).approveCommand(),
  },
  {
    name: "approve-all",
    takes: "[options] <operation>",
    description:
      "agree to all waiting calls of one operation that look alike, after looking at them",
    load: async () => (await import("./commands/approve-all.ts")).approveAllCommand(),
  },
  {
    name: "edit",
    takes: "[options] <workflow> <question>",
    description: "change the parameters of the call a question is about; it is then asked anew",
    load: async () => (await import("./commands/edit.ts")).editCommand(),
  },
  {
    name: "reject",
    takes: "[options] <workflow> <question>",
    description: "refuse the call a question is about",
    load: async () => (await import("./commands/reject.ts")).rejectCommand(),
  },
  {
    name: "reject-all",
    takes: "[options] <operation>",
    description: "refuse all waiting calls of one operation that look alike, with a reason",
    load: async () => (await import("./commands/reject-all.ts")).rejectAllCommand(),
  },
  {
    name: "grants",
    description: "what a workflow may do outside",
    load: async () => (await import("./commands/grants.ts")).grantsCommand(),
  },
  {
    name: "policies",
    alias: "policy",
    takes: "[options] [workflow] [call]",
    description: "show the limits and timings of a workflow or for all, and where each comes from",
    load: async () => (await import("./commands/policies.ts")).policiesCommand(),
  },
  {
    name: "connect",
    description: "what workflows are connected with",
    load: async () => (await import("./commands/connect.ts")).connectCommand(),
  },
  {
    name: "repair",
    description: "scripts that have to be mended",
    load: async () => (await import("./commands/repair.ts")).repairCommand(),
  },
  {
    name: "brake",
    description: "stop all sending, and let go again",
    load: async () => (await import("./commands/brake.ts")).brakeCommand(),
  },
  {
    name: "journal",
    description: "what is recorded of a workflow",
    load: async () => (await import("./commands/journal.ts")).journalCommand(),
  },
  {
    name: "audit",
    takes: "[options] <workflow>",
    description: "whatever anybody asked of a workflow, who, and what came of it",
    load: async () => (await import("./commands/audit.ts")).auditCommand(),
  },
  {
    name: "ask",
    takes: "[options] <workflow> <kind> [body]",
    description: "any command of the inbox, with its body as JSON",
    load: async () => (await import("./commands/ask.ts")).askCommand(),
  },
  {
    name: "login-link",
    takes: "[options]",
    description: "print a link that logs one browser in, once",
    load: async () => (await import("./commands/login-link.ts")).loginLinkCommand(),
  },
  {
    name: "validate",
    description: "look for problems in a script, without running its handlers",
    load: async () => (await import("./commands/validate.ts")).validateCommand(),
  },
  {
    name: "conformance",
    description: "try whether a connector earns its label, behind a network that misbehaves",
    load: async () => (await import("./commands/conformance.ts")).conformanceCommand(),
  },
  {
    name: "init",
    description: "make a small workspace: a workflow, a config file, a shop to try it with",
    load: async () => (await import("./commands/init.ts")).initCommand(),
  },
  {
    name: "dev",
    description: "a host that deploys scripts whenever they are saved",
    load: async () => (await import("./commands/dev.ts")).devCommand(),
  },
  {
    name: "deploy",
    description: "validate a script and make it the active version of its workflow",
    load: async () => (await import("./commands/deploy.ts")).deployCommand(),
  },
  {
    name: "verify",
    description: "fold the journal and compare every table row with it; changes nothing",
    load: async () => (await import("./commands/verify.ts")).verifyCommand(),
  },
  {
    name: "checkpoint",
    description: "record the state of every table, so that the next verify starts from here",
    load: async () => (await import("./commands/checkpoint.ts")).checkpointCommand(),
  },
  {
    name: "backup",
    description: "copy the store of a data folder, while its host works or not",
    load: async () => (await import("./commands/backup.ts")).backupCommand(),
  },
  {
    name: "restore",
    description: "put a backup into a data folder that holds no store",
    load: async () => (await import("./commands/restore.ts")).restoreCommand(),
  },
  {
    name: "export",
    description: "write a whole store into a file, to move it, and end it here",
    load: async () => (await import("./commands/export.ts")).exportCommand(),
  },
  {
    name: "import",
    description: "make a store of an export, on SQLite or PostgreSQL",
    load: async () => (await import("./commands/import.ts")).importCommand(),
  },
  {
    name: "doctor",
    description: "look at the machine, the data folder, the sandbox and the host: what is wrong?",
    load: async () => (await import("./commands/doctor.ts")).doctorCommand(),
  },
  {
    name: "schema",
    description: "the database schema",
    load: async () => (await import("./commands/schema.ts")).schemaCommand(),
  },
  {
    name: "secrets",
    description: "credentials that lie sealed in the host's files",
    load: async () => (await import("./commands/secrets.ts")).secretsCommand(),
  },
  {
    name: "token",
    description: "who may ask this host, and as what",
    load: async () => (await import("./commands/token.ts")).tokenCommand(),
  },
  {
    name: "accept-restored",
    description: "go on with a store that was restored, copied, exported or has failed over",
    load: async () => (await import("./commands/accept-restored.ts")).acceptRestoredCommand(),
  },
];

/** As if every one was meant, for whoever has to know them all. */
const everyCommand = "*";

/** All of them, for the list; only the one that the line names can do anything. */
export async function commandsFor(words: readonly string[]): Promise<readonly Command[]> {
  const [first, second] = words.filter((word) => !word.startsWith("-"));
  const meant = first === "help" ? second : first;
  const isAll = words.includes(everyCommand);
  return Promise.all(
    listedCommands.map(async ({ name, alias, description, load }) => {
      const isMeant = isAll || (meant !== undefined && [name, alias].includes(meant));
      const command = isMeant ? await load() : new Command(name);
      if (alias !== undefined) command.alias(alias);
      return command.description(command.description() || description);
    }),
  );
}

/** As the help lists a command: the same, whether its code was read or not. */
export function termOf(command: Command): string | null {
  const listed = listedCommands.find(({ name }) => name === command.name());
  if (listed === undefined) return null;
  const { name, alias, takes } = listed;
  return [alias === undefined ? name : `${name}|${alias}`, takes ?? []].flat().join(" ");
}
