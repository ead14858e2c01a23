/**
 * Patterns in a language that is matched in a time proportional to the text, whatever the
 * pattern: all positions in it are followed at once, and none twice. Text, `.`, `\d \w \s`, sets
 * `[a-z]` and `[^…]`, `( )`, `|`, `* + ?` and `{n,m}`; it is always the whole text that has to
 * match. What looks back or ahead is not in it. Whether `.` is a line break too cannot be told.
 */

const patternCharsMax = 200;
/** Longer text is not looked at: the time is pattern times text. */
export const patternTextCharsMax = 4_096;
const programStepsMax = 1_000;
const repeatsMax = 100;

/** `isWide` = `.` is a line break, too. */
type Matches = (character: string, isWide: boolean) => boolean;

type Node =
  | { readonly kind: "one"; readonly matches: Matches }
  | { readonly kind: "all"; readonly nodes: readonly Node[] }
  | { readonly kind: "any"; readonly nodes: readonly Node[] }
  /** `max` null = without end. */
  | {
      readonly kind: "repeat";
      readonly node: Node;
      readonly min: number;
      readonly max: number | null;
    };

type Step =
  | { readonly kind: "one"; readonly matches: Matches }
  | { readonly kind: "fork"; readonly to: number[] }
  | { readonly kind: "end" };

/** Null = it cannot be told: the text is too long, or matches if `.` is a line break. */
export type Pattern = (text: string) => boolean | null;

class PatternFault extends Error {}

/** The pattern, or what is wrong with it. */
export function compilePattern(source: string): Pattern | { readonly fault: string } {
  if (source.length > patternCharsMax) {
    return { fault: `a pattern has at most ${patternCharsMax} characters` };
  }
  try {
    const steps: Step[] = [];
    write(new Reader(source).read(), steps);
    push(steps, { kind: "end" });
    return (text) => matchOf(steps, text);
  } catch (error) {
    if (error instanceof PatternFault) return { fault: error.message };
    throw error;
  }
}

function matchOf(steps: readonly Step[], text: string): boolean | null {
  if (text.length > patternTextCharsMax) return null;
  if (run(steps, text, false)) return true;
  return text.includes("\n") && run(steps, text, true) ? null : false;
}

const classes: Readonly<Record<string, Matches>> = {
  d: (character) => character >= "0" && character <= "9",
  w: (character) => /^[A-Za-z0-9_]$/.test(character),
  s: (character) => /^\s$/.test(character),
};

/** Recursive descent; a group inside a group is a call inside a call, and the source is short. */
class Reader {
  readonly #characters: readonly string[];
  #at = 0;

  constructor(source: string) {
    const bare = source.replace(/^\^/, "").replace(/(?<!\\)\$$/, "");
    this.#characters = [...bare];
  }

  read(): Node {
    const node = this.#alternatives();
    if (this.#at < this.#characters.length) throw new PatternFault("there is a ) without a (");
    return node;
  }

  #alternatives(): Node {
    const nodes = [this.#sequence()];
    while (this.#takes("|")) nodes.push(this.#sequence());
    return nodes.length === 1 ? (nodes[0] as Node) : { kind: "any", nodes };
  }

  #sequence(): Node {
    const nodes: Node[] = [];
    for (;;) {
      const next = this.#characters[this.#at];
      if (next === undefined || next === "|" || next === ")") return { kind: "all", nodes };
      nodes.push(this.#repeated(this.#atom()));
    }
  }

  #atom(): Node {
    const character = this.#take();
    switch (character) {
      case "(":
        return this.#group();
      case "[":
        return { kind: "one", matches: this.#set() };
      case ".":
        return { kind: "one", matches: (each, isWide) => isWide || each !== "\n" };
      case "\\":
        return { kind: "one", matches: this.#escaped() };
      case "*":
      case "+":
      case "?":
      case "{":
      case "^":
      case "$":
        throw new PatternFault(`there is a ${character} where a character should be`);
      default:
        return { kind: "one", matches: (each) => each === character };
    }
  }

  #group(): Node {
    if (this.#takes("?") && !this.#takes(":")) {
      throw new PatternFault("a group cannot look ahead or back, and has no name");
    }
    const node = this.#alternatives();
    if (!this.#takes(")")) throw new PatternFault("there is a ( without a )");
    return node;
  }

  #escaped(): Matches {
    const character = this.#take();
    const known = Object.hasOwn(classes, character) ? classes[character] : undefined;
    if (known !== undefined) return known;
    if (/^[A-Za-z0-9]$/.test(character)) throw new PatternFault(`there is no \\${character}`);
    return (each) => each === character;
  }

  #set(): Matches {
    const isInverse = this.#takes("^");
    const parts: Matches[] = [];
    while (!this.#takes("]")) parts.push(this.#range());
    return (each, isWide) => parts.some((part) => part(each, isWide)) !== isInverse;
  }

  #range(): Matches {
    const first = this.#take();
    if (first === "\\") return this.#escaped();
    const isRange = this.#characters[this.#at] === "-" && this.#characters[this.#at + 1] !== "]";
    if (!isRange) return (each) => each === first;
    this.#at += 1;
    const last = this.#take();
    const [from, to] = [pointOf(first), pointOf(last)];
    if (last === "\\" || from > to) throw new PatternFault(`${first}-${last} is not a range`);
    return (each) => from <= pointOf(each) && pointOf(each) <= to;
  }

  #repeated(node: Node): Node {
    if (this.#takes("*")) return { kind: "repeat", node, min: 0, max: null };
    if (this.#takes("+")) return { kind: "repeat", node, min: 1, max: null };
    if (this.#takes("?")) return { kind: "repeat", node, min: 0, max: 1 };
    if (!this.#takes("{")) return node;
    const min = this.#number();
    const max = this.#takes(",")
      ? this.#characters[this.#at] === "}"
        ? null
        : this.#number()
      : min;
    if (!this.#takes("}")) throw new PatternFault("there is a { without a }");
    if (max !== null && max < min) throw new PatternFault(`{${min},${max}} counts backwards`);
    return { kind: "repeat", node, min, max };
  }

  #number(): number {
    let digits = "";
    while (/^\d$/.test(this.#characters[this.#at] ?? "")) digits += this.#take();
    const value = Number(digits);
    if (digits === "" || value > repeatsMax) {
      throw new PatternFault(`a repeat is a number up to ${repeatsMax}`);
    }
    return value;
  }

  #take(): string {
    const character = this.#characters[this.#at];
    if (character === undefined) throw new PatternFault("it ends too early");
    this.#at += 1;
    return character;
  }

  #takes(character: string): boolean {
    if (this.#characters[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }
}

function pointOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}

function push(steps: Step[], step: Step): void {
  steps.push(step);
  if (steps.length > programStepsMax) throw new PatternFault("it repeats too much");
}

/** Each node leads to the step after it. */
function write(node: Node, steps: Step[]): void {
  switch (node.kind) {
    case "one":
      return push(steps, node);
    case "all":
      for (const each of node.nodes) write(each, steps);
      return;
    case "any":
      return writeAny(node.nodes, steps);
    case "repeat":
      return writeRepeat(node, steps);
  }
}

function writeAny(nodes: readonly Node[], steps: Step[]): void {
  const fork: number[] = [];
  push(steps, { kind: "fork", to: fork });
  const exits: number[][] = [];
  for (const node of nodes) {
    fork.push(steps.length);
    write(node, steps);
    const exit: number[] = [];
    push(steps, { kind: "fork", to: exit });
    exits.push(exit);
  }
  for (const exit of exits) exit.push(steps.length);
}

function writeRepeat({ node, min, max }: Extract<Node, { kind: "repeat" }>, steps: Step[]): void {
  for (let count = 0; count < min; count++) write(node, steps);
  if (max === null) {
    const loop = [steps.length + 1];
    const start = steps.length;
    push(steps, { kind: "fork", to: loop });
    write(node, steps);
    push(steps, { kind: "fork", to: [start] });
    loop.push(steps.length);
    return;
  }
  const skips: number[][] = [];
  for (let count = min; count < max; count++) {
    const skip = [steps.length + 1];
    push(steps, { kind: "fork", to: skip });
    skips.push(skip);
    write(node, steps);
  }
  for (const skip of skips) skip.push(steps.length);
}

function run(steps: readonly Step[], text: string, isWide: boolean): boolean {
  let current = reach(steps, [0]);
  for (const character of text) {
    const next: number[] = [];
    for (const at of current) {
      const step = steps[at];
      if (step?.kind === "one" && step.matches(character, isWide)) next.push(at + 1);
    }
    if (next.length === 0) return false;
    current = reach(steps, next);
  }
  return [...current].some((at) => steps[at]?.kind === "end");
}

/** Every step that can be stood on without reading a character. */
function reach(steps: readonly Step[], from: readonly number[]): ReadonlySet<number> {
  const found = new Set<number>();
  const open = [...from];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (found.has(at)) continue;
    found.add(at);
    const step = steps[at];
    if (step?.kind === "fork") open.push(...step.to);
  }
  return found;
}
