import type { Duplex } from "node:stream";
import pg from "pg";
import { MessageReader, type WireMessage } from "./wire-message.ts";

export type Occupant = {
  readonly hear: (message: WireMessage) => void;
  /** The connection is gone. */
  readonly lose: () => void;
};

/** A connection of the pooler's own to the real server. */
export class PooledServer {
  readonly number: number;
  /** What the server said about itself at the start, by name. */
  readonly greeting: ReadonlyMap<string, string>;
  /** Who it works for now. Null = nobody: what it says goes nowhere. */
  occupant: Occupant | null = null;
  readonly #stream: Duplex;

  private constructor(number: number, client: pg.Client, greeting: ReadonlyMap<string, string>) {
    [this.number, this.greeting] = [number, greeting];
    this.#stream = client.connection.stream;
    // From here on nobody but us reads it.
    this.#stream.removeAllListeners("data");
    const reader = new MessageReader({ startsUntyped: false });
    this.#stream.on("data", (chunk: Buffer) => {
      for (const message of reader.read(chunk)) this.occupant?.hear(message);
    });
    this.onClose(() => this.occupant?.lose());
  }

  /** The library's client does what it takes to be let in. */
  static async open(number: number, url: string): Promise<PooledServer> {
    const client = new pg.Client({ connectionString: url });
    client.on("error", () => {});
    const greeting = new Map<string, string>();
    client.connection.on(
      "parameterStatus",
      (said: { readonly parameterName: string; readonly parameterValue: string }) => {
        greeting.set(said.parameterName, said.parameterValue);
      },
    );
    await client.connect();
    return new PooledServer(number, client, greeting);
  }

  write(bytes: Buffer): void {
    if (this.#stream.writable) this.#stream.write(bytes);
  }

  onClose(react: () => void): void {
    this.#stream.once("close", react);
  }

  async close(): Promise<void> {
    if (this.#stream.destroyed) return;
    const closed = new Promise<void>((resolve) => this.onClose(resolve));
    this.#stream.end();
    await closed;
  }
}
