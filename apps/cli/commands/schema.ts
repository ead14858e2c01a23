import { printSchema } from "@holdfast/store/sqlite";
import { Command } from "commander";

export function schemaCommand(): Command {
  const print = new Command("print")
    .description("print the SQL of every migration, in order")
    .action(() => console.log(printSchema()));
  return new Command("schema").description("the database schema").addCommand(print);
}
