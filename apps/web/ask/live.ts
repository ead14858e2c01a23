import { AskProblem, get } from "./api.ts";
import { loginState } from "./login-state.ts";
import { OutsideState } from "./outside-state.ts";

export type Connection =
  | { readonly kind: "connecting" }
  | { readonly kind: "live" }
  | { readonly kind: "lost"; readonly since: number };

export const connection = new OutsideState<Connection>({ kind: "connecting" });

/** What one tab tells the others of this browser. */
type Told =
  | { readonly kind: "changed"; readonly workflow: string; readonly id: string | null }
  | { readonly kind: "connection"; readonly connection: Connection; readonly id: string | null };

export type LiveListener = {
  readonly changed: (workflow: string) => void;
  /** Something may have been missed: everything is asked for anew. */
  readonly missed: () => void;
};

const comeBackMs = 2_000;
const name = "holdfast-live";

/**
 * Which workflows moved on, as the host tells it. A browser that was cut off resumes where it was;
 * where it cannot, everything counts as changed. Of several tabs one listens and tells the others,
 * because a browser has few connections to one host and would have none left for asking.
 */
export class Live {
  readonly #listener: LiveListener;
  readonly #others = new BroadcastChannel(name);
  #source: EventSource | null = null;
  #lastId: string | null = null;
  #timer: number | null = null;
  #isListening = false;

  constructor(listener: LiveListener) {
    this.#listener = listener;
    this.#others.addEventListener("message", ({ data }: MessageEvent<Told>) => this.#hear(data));
  }

  /** Where a page is not served encrypted there are no locks, and every tab listens. */
  start(): void {
    if (!window.isSecureContext) return this.#listen();
    void navigator.locks.request(name, () => {
      this.#listen();
      return new Promise<never>(() => {});
    });
    // Somebody else listens: what is here was asked for just now.
    connection.set({ kind: "live" });
  }

  /** After a login. */
  again(): void {
    if (this.#isListening) this.#open();
  }

  #listen(): void {
    this.#isListening = true;
    this.#open();
  }

  #open(): void {
    this.#close();
    const after = this.#lastId === null ? "" : `?after=${encodeURIComponent(this.#lastId)}`;
    const source = new EventSource(`/api/v1/live${after}`);
    this.#source = source;
    source.addEventListener("following", (event) => this.#follows(event));
    source.addEventListener("changed", (event) => this.#tells(event));
    source.addEventListener("error", () => this.#lost(source));
  }

  #follows({ lastEventId }: MessageEvent<string>): void {
    const isFirst = this.#lastId === null;
    this.#lastId = lastEventId;
    this.#set({ kind: "live" });
    if (isFirst) this.#listener.missed();
  }

  #tells({ data, lastEventId }: MessageEvent<string>): void {
    if (lastEventId !== "") this.#lastId = lastEventId;
    const { workflow } = JSON.parse(data) as { readonly workflow: string };
    this.#listener.changed(workflow);
    this.#tell({ kind: "changed", workflow, id: this.#lastId });
  }

  #set(next: Connection): void {
    connection.set(next);
    this.#tell({ kind: "connection", connection: next, id: this.#lastId });
  }

  #tell(told: Told): void {
    this.#others.postMessage(told);
  }

  /** Its id is where to go on from, should the tab that listens be closed. */
  #hear(told: Told): void {
    if (this.#isListening) return;
    this.#lastId = told.id;
    if (told.kind === "changed") this.#listener.changed(told.workflow);
    else connection.set(told.connection);
  }

  #lost(source: EventSource): void {
    if (source !== this.#source) return;
    if (connection.read().kind !== "lost") this.#set({ kind: "lost", since: Date.now() });
    // A browser comes back by itself after a cut, and not after an answer that says no.
    if (source.readyState !== EventSource.CLOSED) return;
    this.#close();
    this.#timer = window.setTimeout(() => void this.#tryAgain(), comeBackMs);
  }

  async #tryAgain(): Promise<void> {
    try {
      await get("/me");
    } catch (error) {
      if (loginState.read() === "out") return;
      // The cursor may be of a store that is no more.
      if (error instanceof AskProblem) this.#lastId = null;
    }
    this.#open();
  }

  #close(): void {
    if (this.#timer !== null) window.clearTimeout(this.#timer);
    this.#timer = null;
    this.#source?.close();
    this.#source = null;
  }
}
