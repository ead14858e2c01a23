import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

/** One address behind which the server changes, as a failover by name or by a proxy makes it. */
export class MovableAddress {
  readonly #listener: Server;
  readonly #sockets = new Set<Socket>();
  #target: URL;

  private constructor(target: string) {
    this.#target = new URL(target);
    this.#listener = createServer((client) => this.#accept(client));
  }

  static async start(target: string): Promise<MovableAddress> {
    const address = new MovableAddress(target);
    address.#listener.listen(0, "127.0.0.1");
    await once(address.#listener, "listening");
    return address;
  }

  /** Of the database that it points to now; stays the same when it moves. */
  get url(): string {
    const url = new URL(this.#target);
    const address = this.#listener.address();
    url.host = `127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
    return url.href;
  }

  /** Whoever was connected to the old server is cut. */
  moveTo(target: string): void {
    this.#target = new URL(target);
    for (const socket of this.#sockets) socket.destroy();
  }

  stop(): void {
    this.#listener.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #accept(client: Socket): void {
    const server = connect(Number(this.#target.port), this.#target.hostname);
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(one);
      one.setNoDelay(true);
      one.on("error", () => {}); // it closes after an error, and that is what counts
      one.on("close", () => {
        this.#sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  }
}
