import type { Ownership } from "@holdfast/host";
import type { LoadDriver } from "./load-driver.ts";
import { passingTrouble } from "./passing-trouble.ts";
import { say } from "./say.ts";

/** A wake-up may get lost: so often the loop looks by itself. */
const lookEveryMs = 5_000;
/** After trouble with the store. */
const retryMs = 200;

type Parts = {
  readonly ownership: Ownership;
  readonly driver: LoadDriver;
  /** Gives the workflow back while it has nothing to do; null = keeps it. */
  readonly rest: (() => Promise<void>) | null;
};

/** Runs one workflow for as long as this host owns it. */
export class WorkflowLoop {
  readonly driver: LoadDriver;
  readonly #parts: Parts;
  #isResting = false;
  #isEnding = false;
  #wakeUp = (): void => {};

  constructor(parts: Parts) {
    this.#parts = parts;
    this.driver = parts.driver;
  }

  get isResting(): boolean {
    return this.#isResting;
  }

  wake(): void {
    this.#wakeUp();
  }

  /** After the step it is in, if any. */
  end(): void {
    this.#isEnding = true;
    this.#wakeUp();
  }

  async run(): Promise<void> {
    const { ownership, rest } = this.#parts;
    while (!this.#isEnding && ownership.mayAct()) {
      const ended = await this.#step();
      if (ended === "go_on") continue;
      if (ended === "gone") return;
      const waitMs = (ended.waitUntil ?? Number.POSITIVE_INFINITY) - Date.now();
      if (rest !== null && waitMs > 0) return rest();
      await this.#pause(Math.min(waitMs, lookEveryMs));
    }
  }

  async #step(): ReturnType<LoadDriver["step"]> {
    try {
      return await this.driver.step();
    } catch (error) {
      say({ kind: "trouble", doing: "step", note: passingTrouble(error) });
      await this.#pause(retryMs);
      return "go_on";
    }
  }

  async #pause(ms: number): Promise<void> {
    if (this.#isEnding) return;
    this.#isResting = true;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#isResting = false;
  }
}
