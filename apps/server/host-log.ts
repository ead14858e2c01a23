import { plainText } from "@holdfast/protocol/plain-text";

export const logForms = ["text", "json"] as const;
export type LogForm = (typeof logForms)[number];

/** What a line is about, by the names that the API knows it by. */
export type LogIds = Readonly<Record<string, string | number>>;

/**
 * What the process says of itself: lines for people, or for programs one object of JSON in each. A
 * script or a service may have a say in a text, so that none of it steers a terminal.
 */
class HostLog {
  #form: LogForm = "text";
  #common: LogIds = {};

  /** From now on; `common` is on every line. */
  speak(form: LogForm, common: LogIds): void {
    this.#form = form;
    this.#common = common;
  }

  say(text: string, ids: LogIds = {}): void {
    console.log(this.#isText ? plainText(text) : this.#object("info", text, ids));
  }

  complain(text: string, ids: LogIds = {}): void {
    console.error(this.#isText ? plainText(text) : this.#object("error", text, ids));
  }

  /** What has a page of its own. */
  refuse(text: string, code: string, ids: LogIds = {}): void {
    this.complain(text, { ...ids, code });
    if (this.#isText) console.error(`See docs/errors/${code}.md`);
  }

  /** A mistake of ours: where it was made is what helps. */
  broke(error: unknown): void {
    if (this.#isText) return console.error(error);
    const { message, stack = "" } = error instanceof Error ? error : { message: String(error) };
    console.error(this.#object("error", message, { stack }));
  }

  get #isText(): boolean {
    return this.#form === "text";
  }

  #object(level: "info" | "error", text: string, ids: LogIds): string {
    const at = new Date().toISOString();
    return JSON.stringify({ at, level, text, ...this.#common, ...ids });
  }
}

/** One for the process, as its output is. */
export const log = new HostLog();
