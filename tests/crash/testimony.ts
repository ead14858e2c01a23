import type { CommandLine, HeadLine, WitnessLine } from "./witness-line.ts";

/** All that the lives on one folder have said, in the order they said it. */
export class Testimony {
  readonly committed: HeadLine[] = [];
  readonly appended: CommandLine[] = [];
  readonly #heads = new Set<string>();
  readonly #commands = new Set<string>();

  add(line: WitnessLine): void {
    if (line.kind === "asked") this.#heads.add(headName(line));
    if (line.kind === "committed") this.committed.push(line);
    if (line.kind === "appending") this.#commands.add(commandName(line));
    if (line.kind === "appended") this.appended.push(line);
  }

  /** True for the end of a change that was asked for, and for a journal not yet begun. */
  mayBeHead(head: Pick<HeadLine, "workflow" | "seq" | "hash">): boolean {
    return head.seq === 0 || this.#heads.has(headName(head));
  }

  wasAsked(command: Pick<CommandLine, "workflow" | "commandId">): boolean {
    return this.#commands.has(commandName(command));
  }
}

function headName({ workflow, seq, hash }: Pick<HeadLine, "workflow" | "seq" | "hash">): string {
  return `${workflow} ${seq} ${hash}`;
}

function commandName({ workflow, commandId }: Pick<CommandLine, "workflow" | "commandId">): string {
  return `${workflow} ${commandId}`;
}
