import { type Command, Help } from "commander";
import { expect, test } from "vitest";
import { termOf } from "./command-list.ts";
import { commandTree } from "./command-tree.ts";

/** Its code was read: it takes something, or has verbs. */
function isRead({ commands, options, registeredArguments }: Command): boolean {
  return commands.length + options.length + registeredArguments.length > 0;
}

test.each([
  [["--help"], []],
  [[], []],
  [["help"], []],
  [["no-such-command"], []],
  [["why", "orders"], ["why"]],
  [["workflows", "ls"], ["workflow"]],
  [["help", "policy"], ["policies"]],
  [["--json", "validate"], ["validate"]],
])("%j reads the code of %j and of nothing else", async (words, read) => {
  const { commands } = await commandTree(words);
  expect(commands.filter(isRead).map((each) => each.name())).toEqual(read);
});

test("the help lists commands as they are once their code was read", async () => {
  const program = await commandTree(["*"]);
  const plain = new Help();
  for (const command of program.commands) {
    const listed = termOf(command);
    const real = plain.subcommandTerm(command);
    expect(isRead(command)).toBe(true);
    // Some show their name alone.
    expect([real, real.split(" ")[0]]).toContain(listed);
  }
  const unread = await commandTree([]);
  expect(program.helpInformation()).toBe(unread.helpInformation());
});
