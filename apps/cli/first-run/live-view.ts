import type { InputsAnswer, OutputsAnswer, QuestionsAnswer } from "@holdfast/protocol";
import type { HostClient } from "../host-client.ts";
import { plain } from "../print.ts";
import { example } from "./deploy-example.ts";
import { Looks } from "./looks.ts";

type Question = QuestionsAnswer["items"][number];
type Page<T> = { readonly items: readonly T[]; readonly next: string | null };

/** Between two looks; what happened meanwhile is shown together. */
const lookEveryMs = 250;

/** Tells what comes in, what is done and what is asked, all of it as the API says it. */
export class LiveView {
  readonly #client: HostClient;
  /** Added to a command that is to be typed. */
  readonly #words: string;
  readonly #known = new Set<string>();

  constructor(client: HostClient, words: string) {
    this.#client = client;
    this.#words = words;
  }

  /** What was there before is counted, and not told again; open questions are. */
  async begin(): Promise<{ readonly inputs: number; readonly outputs: number }> {
    const [inputs, outputs] = [await this.#newInputs(), await this.#newOutputs()];
    await this.look();
    return { inputs: inputs.length, outputs: outputs.length };
  }

  /** Until the signal fires or the host ends. */
  async follow(signal: AbortSignal): Promise<void> {
    const looks = new Looks(() => this.look(), lookEveryMs);
    try {
      for await (const text of this.#client.stream("/live", signal)) {
        if (/^event: (changed|following)$/m.test(text)) looks.want();
        looks.throwIfFailed();
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      looks.end();
    }
  }

  async look(): Promise<void> {
    for (const { title } of await this.#newInputs()) tell("in ", title);
    for (const output of await this.#newOutputs()) tell("out", describe(output));
    const path = `/workflows/${example}/attention`;
    const { items } = await this.#client.get<QuestionsAnswer>(path, { status: "open" });
    for (const question of items.toReversed()) {
      if (!this.#isNew(`question ${question.attentionId}`)) continue;
      tell("ASK", describeQuestion(question));
      for (const line of this.#commandsFor(question)) console.log(`          ${line}`);
    }
  }

  #commandsFor({ workflow, attentionId, kind, answers }: Question): readonly string[] {
    const about = `${workflow} ${attentionId}`;
    return answers.map((answer) => {
      const verb = kind === "approval" ? `${answer} ${about}` : `answer ${about} ${answer}`;
      return `npx holdfast ${verb}${this.#words}`;
    });
  }

  #newInputs() {
    return this.#news<InputsAnswer["items"][number]>("inputs", ({ inputId }) => inputId);
  }

  #newOutputs() {
    return this.#news<OutputsAnswer["items"][number]>("outputs", ({ outputId }) => outputId);
  }

  /** The list has the newest first: it is read until something known comes. */
  async #news<T>(list: "inputs" | "outputs", idOf: (item: T) => string): Promise<readonly T[]> {
    const news: T[] = [];
    let after: string | undefined;
    for (;;) {
      const query = { limit: "100", after };
      const page = await this.#client.get<Page<T>>(`/workflows/${example}/${list}`, query);
      const fresh = page.items.filter((item) => this.#isNew(`${list} ${idOf(item)}`));
      news.push(...fresh);
      if (page.next === null || fresh.length < page.items.length) return news.toReversed();
      after = page.next;
    }
  }

  #isNew(id: string): boolean {
    if (this.#known.has(id)) return false;
    this.#known.add(id);
    return true;
  }
}

function describe(output: OutputsAnswer["items"][number]): string {
  const because = output.inputs.map(({ title }) => title).join(", ");
  const what =
    output.kind === "mutation"
      ? `${output.operation} ${JSON.stringify(output.title)}`
      : `${output.topic} ${output.messageId}`;
  return `${what}${because === "" ? "" : `  <-  ${because}`}`;
}

function describeQuestion({ kind, note, call, inputs }: Question): string {
  const about = inputs.map(({ title }) => title).join(", ");
  const what = call === null ? note : `${call.operation} ${JSON.stringify(call.params)}`;
  return `${kind}: ${what}${about === "" ? "" : `  <-  ${about}`}`;
}

function tell(what: string, text: string): void {
  console.log(plain(`${new Date().toTimeString().slice(0, 8)}  ${what}  ${text}`));
}
