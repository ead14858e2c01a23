#!/usr/bin/env node
import { Command, CommanderError } from "commander";
import { checkpointCommand } from "./commands/checkpoint.ts";
import { schemaCommand } from "./commands/schema.ts";
import { verifyCommand } from "./commands/verify.ts";
import { exitCodes, reportError } from "./report-error.ts";

const program = new Command("holdfast")
  .description("A durable host for automations that language models write and people answer for.")
  .version("0.1.0")
  .exitOverride()
  .addCommand(verifyCommand())
  .addCommand(checkpointCommand())
  .addCommand(schemaCommand());

for (const command of program.commands) {
  command.exitOverride();
  for (const inner of command.commands) inner.exitOverride();
}

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : exitCodes.usage;
  } else {
    process.exitCode = reportError(error, process.argv.includes("--json"));
  }
}
