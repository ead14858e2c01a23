#!/usr/bin/env node
import { Command, CommanderError } from "commander";
import { acceptRestoredCommand } from "./commands/accept-restored.ts";
import { checkpointCommand } from "./commands/checkpoint.ts";
import { schemaCommand } from "./commands/schema.ts";
import { verifyCommand } from "./commands/verify.ts";
import { exitCodes, reportError } from "./report-error.ts";
import { UsageError } from "./store-place.ts";

const program = new Command("holdfast")
  .description("A durable host for automations that language models write and people answer for.")
  .version("0.1.0")
  .exitOverride()
  .addCommand(verifyCommand())
  .addCommand(checkpointCommand())
  .addCommand(schemaCommand())
  .addCommand(acceptRestoredCommand());

for (const command of program.commands) {
  command.exitOverride();
  for (const inner of command.commands) inner.exitOverride();
}

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : exitCodes.usage;
  } else if (error instanceof UsageError) {
    console.error(`error: ${error.message}`);
    process.exitCode = exitCodes.usage;
  } else {
    process.exitCode = reportError(error, process.argv.includes("--json"));
  }
}
