import { Command } from "commander";
import { example } from "../group.ts";
import { HostClient } from "../host-client.ts";
import { plain, print } from "../print.ts";

type Options = { readonly data?: string; readonly json: boolean; readonly after?: string };

type Phase = {
  readonly phase: string;
  readonly failure: { readonly code: string; readonly message: string } | null;
  readonly logs: readonly { readonly at: number; readonly text: string }[];
  readonly calls: readonly {
    readonly name: string;
    readonly params: unknown;
    readonly result?: unknown;
    readonly durationMs: number;
  }[];
};

type Answer = {
  readonly runId: string;
  readonly handler: string;
  readonly status: string;
  readonly phases: readonly Phase[];
  readonly sent: readonly {
    readonly mutationId: string;
    readonly operation: string;
    readonly target: string;
    readonly params: unknown;
    readonly state: string;
    readonly evidence: readonly { readonly says: string; readonly note: string }[];
  }[];
  readonly next: number | null;
};

export function traceCommand(): Command {
  const command = new Command("trace")
    .argument("<workflow>")
    .argument("<run>")
    .option("--after <place>", "the page after this one")
    .option("--data <folder>", "data folder of the running host")
    .option("--json", "one line of JSON", false)
    .action(run);
  return example(command, "trace orders r12");
}

async function run(workflow: string, runId: string, options: Options): Promise<void> {
  const path = `/workflows/${encodeURIComponent(workflow)}/runs/${encodeURIComponent(runId)}/trace`;
  const answer = await new HostClient(options).get<Answer>(path, { after: options.after });
  print(options.json, answer, () => told(answer));
}

function told({ runId, handler, status, phases, sent, next }: Answer): string {
  const more = next === null ? [] : [`More: --after ${next}`];
  const outside = sent.flatMap(({ mutationId, operation, target, params, state, evidence }) => [
    `  ${mutationId} ${operation} on ${target}: ${state}`,
    `    ${JSON.stringify(params)}`,
    ...evidence.map(({ says, note }) => `    ${says}: ${note}`),
  ]);
  return [`${runId} of ${handler}: ${status}`, ...phases.flatMap(toldPhase), ...outside, ...more]
    .map(plain)
    .join("\n");
}

function toldPhase({ phase, failure, logs, calls }: Phase): readonly string[] {
  const called = calls.map(({ name, params, result, durationMs }) => {
    const answer = result === undefined ? "not answered" : JSON.stringify(result);
    return `    ${name}(${JSON.stringify(params)}) → ${answer} (${durationMs} ms)`;
  });
  const logged = logs.map(({ at, text }) => `    ${new Date(at).toISOString()} ${text}`);
  const failed = failure === null ? [] : [`    ${failure.code}: ${failure.message}`];
  return [`  ${phase}`, ...called, ...logged, ...failed];
}
