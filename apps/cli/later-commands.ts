import { Command } from "commander";

/** A command that needs much code: it is read when the command is meant, and not for the others. */
type LaterCommand = {
  readonly name: string;
  readonly description: string;
  readonly load: () => Promise<Command>;
};

const laterCommands: readonly LaterCommand[] = [
  {
    name: "validate",
    description: "look for problems in a script, without running its handlers",
    load: async () => (await import("./commands/validate.ts")).validateCommand(),
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
    description: "go on with a store that was restored, copied or has failed over",
    load: async () => (await import("./commands/accept-restored.ts")).acceptRestoredCommand(),
  },
];

/** As if every one was meant, for whoever has to know them all. */
const everyCommand = "*";

/** All of them, for the list; only the one that the line names can do anything. */
export async function commandsFor(words: readonly string[]): Promise<readonly Command[]> {
  const [first, second] = words.filter((word) => !word.startsWith("-"));
  const meant = first === "help" ? second : first;
  return Promise.all(
    laterCommands.map(async ({ name, description, load }) => {
      const isMeant = name === meant || words.includes(everyCommand);
      const command = isMeant ? await load() : new Command(name);
      return command.description(description);
    }),
  );
}
