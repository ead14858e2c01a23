import { type Boundary, describeBoundary } from "./crash-point.ts";
import { TestError } from "./test-error.ts";
import { openTest, type TestOptions } from "./test-workflow.ts";
import type { WorkflowTest } from "./workflow-test.ts";

export type CrashesTried = {
  /** Where the host was made to die, each in a run of the scenario of its own. */
  readonly points: readonly string[];
};

/** How the story ends: lines with how often each is true. */
type Story = ReadonlyMap<string, number>;

/**
 * Plays the scenario once in peace, and then once for every boundary that the host came by, with
 * the host dying there and another one taking over. Somebody who knows what happened answers
 * whatever the crash has made uncertain. Each time the story has to end as it did in peace: the
 * same changes, none of them twice, and the same events in the same status.
 *
 * Give options as a function where the services keep something between calls.
 */
export async function everyCrash(
  options: TestOptions | (() => TestOptions),
  scenario: (test: WorkflowTest) => Promise<void>,
): Promise<CrashesTried> {
  const optionsOf = typeof options === "function" ? options : () => options;
  const boundaries: Boundary[] = [];
  const inPeace = await play(optionsOf(), scenario, (boundary) => {
    boundaries.push(boundary);
    return false;
  });
  for (const [index, boundary] of boundaries.entries()) {
    const where = `${describeBoundary(boundary)} (${index + 1} of ${boundaries.length})`;
    let passed = 0;
    const story = play(optionsOf(), scenario, () => passed++ === index);
    compare(inPeace, await story.catch((error: unknown) => rethrow(where, error)), where);
  }
  return { points: boundaries.map(describeBoundary) };
}

async function play(
  options: TestOptions,
  scenario: (test: WorkflowTest) => Promise<void>,
  onPass: (boundary: Boundary) => boolean,
): Promise<Story> {
  const test = await openTest(options, { isOmniscient: true, onPass });
  await scenario(test);
  await test.settle();
  const story = storyOf(test);
  await test.close();
  return story;
}

function storyOf(test: WorkflowTest): Story {
  const ledger = new Map(test.ledger().map((entry) => [entry.key, entry]));
  // By event, since a batch may be put together in another way when everything is a little later.
  const changes = test.sent
    .filter(({ applied }) => applied)
    .flatMap(({ name, key }) =>
      (ledger.get(key)?.events ?? ["nothing"]).map((event) => `${name} happened for ${event}`),
    );
  const events = test
    .events()
    .map(({ topic, messageId, status }) => `${messageId} in ${topic} is ${status}`);
  const cells = test.cells().map(({ machine, key, status }) => {
    return `${machine} ${JSON.stringify(key)} is ${status}`;
  });
  const story = new Map<string, number>();
  for (const line of [...changes, ...events, ...cells]) story.set(line, (story.get(line) ?? 0) + 1);
  return story;
}

function compare(inPeace: Story, story: Story, where: string): void {
  const lines = new Set([...inPeace.keys(), ...story.keys()]);
  const differences = [...lines].flatMap((line) => {
    const [wanted, found] = [inPeace.get(line) ?? 0, story.get(line) ?? 0];
    return wanted === found ? [] : [`${line}: ${found} times, ${wanted} times without the crash`];
  });
  if (differences.length === 0) return;
  const text = [`the host died ${where}, and afterwards`, ...differences].join("\n  ");
  throw new TestError("crash_differs", text);
}

function rethrow(where: string, error: unknown): never {
  const text = `the host died ${where}, and then the scenario failed: ${String(error)}`;
  throw new TestError("crash_differs", text, { cause: error });
}
