import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { onTestFinished } from "vitest";

export type LiveEvent = {
  readonly event: string;
  readonly data: string;
  readonly id: string | null;
};

/** A program that follows the changes of a host; `pause` makes it one that never reads. */
export class LiveClient {
  readonly events: LiveEvent[] = [];
  lastId: string | null = null;
  readonly opened: Promise<IncomingMessage>;
  readonly ended: Promise<void>;
  readonly #asked: ClientRequest;
  #rest = "";
  #looks: (() => void)[] = [];

  constructor(url: string, headers: Readonly<Record<string, string>>, isReading = true) {
    this.#asked = request(`${url}/api/v1/live`, { headers, agent: false });
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    this.opened = new Promise((admit, reject) => {
      this.#asked.once("error", reject).once("response", (response) => {
        response.setEncoding("utf8").once("close", resolve).once("error", resolve);
        if (isReading) response.on("data", (text: string) => this.#read(text));
        else response.pause();
        admit(response);
      });
    });
    this.#asked.once("close", resolve).end();
    onTestFinished(() => this.leave());
  }

  leave(): void {
    this.#asked.destroy();
  }

  /** Resolves when such an event has come; rejects when the stream ends without. */
  async saw(isMeant: (each: LiveEvent) => boolean): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const look = () => this.events.some(isMeant) && resolve();
    this.#looks.push(look);
    void this.ended.then(() => reject(new Error(`ended after ${JSON.stringify(this.events)}`)));
    this.opened.catch(reject);
    look();
    return promise;
  }

  async follows(): Promise<this> {
    await this.saw(({ event }) => event === "following");
    return this;
  }

  #read(text: string): void {
    const parts = `${this.#rest}${text}`.split("\n\n");
    this.#rest = parts.pop() ?? "";
    for (const part of parts) this.#take(part);
    for (const look of this.#looks) look();
  }

  #take(part: string): void {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(part)?.[1] ?? null;
    this.lastId = field("id") ?? this.lastId;
    this.events.push({ event: field("event") ?? "", data: field("data") ?? "", id: field("id") });
  }
}
