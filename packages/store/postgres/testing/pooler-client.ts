import type { Socket } from "node:net";
import type { PooledServer } from "./pooled-server.ts";
import {
  asksForCancel,
  asksForEncryption,
  encodeMessage,
  encodeTexts,
  MessageReader,
  parseStartup,
  readTransactionStatus,
  type WireMessage,
} from "./wire-message.ts";

/** What a pooler in transaction mode can keep for a client; anything else it refuses. */
const knownAtStart = new Set([
  "user",
  "database",
  "application_name",
  "client_encoding",
  "datestyle",
  "timezone",
  "standard_conforming_strings",
]);

export type PoolerClientOptions = {
  readonly socket: Socket;
  readonly number: number;
  readonly database: string;
  readonly greeting: ReadonlyMap<string, string>;
  /** Asks for a server; it comes through `assign`. */
  readonly ask: (client: PoolerClient) => void;
  /** Clean = the server can serve others. */
  readonly giveBack: (server: PooledServer, how: { readonly isClean: boolean }) => void;
};

/** Somebody who believes to be connected to a server. */
export class PoolerClient {
  readonly number: number;
  /** The number of the server it had last. Null = it had none yet. */
  lastServer: number | null = null;
  readonly #options: PoolerClientOptions;
  readonly #socket: Socket;
  readonly #reader = new MessageReader({ startsUntyped: true });
  readonly #arrived: WireMessage[] = [];
  #server: PooledServer | null = null;
  #isAsking = false;
  #awaitedCount = 0;
  /** Part of a request is on its way. */
  #isInRequest = false;

  constructor(options: PoolerClientOptions) {
    [this.#options, this.#socket, this.number] = [options, options.socket, options.number];
    this.#socket.setNoDelay(true);
    this.#socket.on("error", () => {});
    this.#socket.on("data", (chunk) => {
      for (const message of this.#reader.read(chunk)) this.#accept(message);
    });
    this.#socket.on("close", () => this.#leave({ isClean: false }));
  }

  get isGone(): boolean {
    return this.#socket.destroyed;
  }

  assign(server: PooledServer): void {
    this.#isAsking = false;
    this.#server = server;
    this.lastServer = server.number;
    server.occupant = {
      hear: (message) => this.#respond(server, message),
      lose: () => this.dismiss(),
    };
    for (const message of this.#arrived.splice(0)) this.#forward(server, message);
  }

  dismiss(): void {
    this.#socket.destroySoon();
  }

  #accept(message: WireMessage): void {
    if (message.type === "") return this.#start(message.bytes);
    if (message.type === "X") return this.dismiss();
    if (this.#server !== null) return this.#forward(this.#server, message);
    this.#arrived.push(message);
    if (this.#isAsking) return;
    this.#isAsking = true;
    this.#options.ask(this);
  }

  #start(bytes: Buffer): void {
    if (asksForEncryption(bytes)) {
      this.#socket.write("N");
      return;
    }
    if (asksForCancel(bytes)) return this.dismiss();
    const wanted = parseStartup(bytes);
    const unknown = [...wanted.keys()].find((name) => !knownAtStart.has(name.toLowerCase()));
    if (unknown !== undefined) return this.#refuse(`unsupported startup parameter: ${unknown}`);
    if (wanted.get("database") !== this.#options.database) return this.#refuse("no such database");
    this.#socket.write(encodeMessage("R", Buffer.alloc(4)));
    for (const pair of this.#options.greeting) {
      this.#socket.write(encodeMessage("S", encodeTexts(...pair)));
    }
    const key = Buffer.alloc(8);
    key.writeInt32BE(this.number);
    this.#socket.write(encodeMessage("K", key));
    this.#socket.write(encodeMessage("Z", Buffer.from("I")));
  }

  #refuse(message: string): void {
    const fields = encodeTexts("SFATAL", "VFATAL", "C08P01", `M${message}`, "");
    this.#socket.write(encodeMessage("E", fields));
    this.dismiss();
  }

  #forward(server: PooledServer, { type, bytes }: WireMessage): void {
    this.#isInRequest = type !== "Q" && type !== "S";
    if (!this.#isInRequest) this.#awaitedCount += 1;
    server.write(bytes);
  }

  #respond(server: PooledServer, message: WireMessage): void {
    if (this.#socket.writable) this.#socket.write(message.bytes);
    if (message.type !== "Z") return;
    this.#awaitedCount -= 1;
    const isOver = readTransactionStatus(message) === "I";
    if (isOver && this.#awaitedCount === 0 && !this.#isInRequest && this.#server === server) {
      this.#leave({ isClean: true });
    }
  }

  #leave(how: { readonly isClean: boolean }): void {
    const server = this.#server;
    if (server === null) return;
    this.#server = null;
    server.occupant = null;
    this.#options.giveBack(server, how);
  }
}
