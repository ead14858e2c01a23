import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { findFreePort } from "./free-port.ts";
import { PooledServer } from "./pooled-server.ts";
import { PoolerClient } from "./pooler-client.ts";

const connectionCountMin = 2;

export type SwappingPoolerOptions = {
  /** Of real connections; at least two. */
  readonly connectionCount?: number;
};

/** Which connection a client's transaction was given to; both are numbered from 1. */
export type Assignment = { readonly client: number; readonly server: number };

/**
 * Behaves like a pooler in transaction mode, and worse: no client has the same real connection for
 * two transactions in a row. So nothing that belongs to a connection survives a transaction, or it
 * comes to light in somebody else's. Cancel requests are lost, as they may be with a real one.
 */
export class SwappingPooler {
  readonly #target: string;
  readonly #port: number;
  readonly #listener: Server;
  /** Longest idle first. */
  readonly #free: PooledServer[] = [];
  readonly #all = new Set<PooledServer>();
  readonly #clients = new Set<PoolerClient>();
  readonly #waiting: PoolerClient[] = [];
  readonly #assignments: Assignment[] = [];
  readonly #connectionCount: number;
  #greeting: ReadonlyMap<string, string> = new Map();
  #serverNumber = 0;
  #clientNumber = 0;
  #isStopped = false;
  /** Null = nobody is opening connections. */
  #filling: Promise<void> | null = null;

  private constructor(target: string, port: number, connectionCount: number) {
    [this.#target, this.#port, this.#connectionCount] = [target, port, connectionCount];
    this.#listener = createServer((socket) => this.#accept(socket));
  }

  /** `target` is the URL of the one database that its clients can use. */
  static async start(
    target: string,
    { connectionCount = connectionCountMin }: SwappingPoolerOptions = {},
  ): Promise<SwappingPooler> {
    if (connectionCount < connectionCountMin) throw new Error("nothing to swap with");
    const pooler = new SwappingPooler(target, await findFreePort(), connectionCount);
    await pooler.#fill();
    pooler.#listener.listen(pooler.#port, "127.0.0.1");
    await once(pooler.#listener, "listening");
    return pooler;
  }

  url(): string {
    const url = new URL(this.#target);
    url.host = `127.0.0.1:${this.#port}`;
    return url.href;
  }

  /** One per transaction, in their order. */
  get assignments(): readonly Assignment[] {
    return this.#assignments;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#listener.close();
    for (const client of this.#clients) client.dismiss();
    await this.#filling?.catch(() => {});
    await Promise.all([...this.#all].map((server) => server.close()));
  }

  #accept(socket: Socket): void {
    this.#clientNumber += 1;
    const client = new PoolerClient({
      socket,
      number: this.#clientNumber,
      database: decodeURIComponent(new URL(this.#target).pathname.slice(1)),
      greeting: this.#greeting,
      ask: (asking) => this.#ask(asking),
      giveBack: (server, how) => this.#takeBack(server, how),
    });
    this.#clients.add(client);
    socket.on("close", () => this.#clients.delete(client));
  }

  #ask(client: PoolerClient): void {
    this.#waiting.push(client);
    this.#assign();
    // A server that restarted has thrown us out: whoever asks now has us connect again.
    if (this.#all.size < this.#connectionCount) this.#fill().catch(() => client.dismiss());
  }

  /** First come, first served, but nobody gets the one it had before. */
  #assign(): void {
    for (const client of [...this.#waiting]) {
      const server = client.isGone
        ? undefined
        : this.#free.find(({ number }) => number !== client.lastServer);
      if (server === undefined && !client.isGone) continue;
      this.#waiting.splice(this.#waiting.indexOf(client), 1);
      if (server === undefined) continue;
      this.#free.splice(this.#free.indexOf(server), 1);
      this.#assignments.push({ client: client.number, server: server.number });
      client.assign(server);
    }
  }

  /** One in the midst of a transaction is no good to anybody else. */
  #takeBack(server: PooledServer, { isClean }: { readonly isClean: boolean }): void {
    if (isClean) {
      this.#free.push(server);
      this.#assign();
      return;
    }
    void server.close().then(() => this.#fill().catch(() => {}));
  }

  #fill(): Promise<void> {
    this.#filling ??= this.#openMissing().finally(() => {
      this.#filling = null;
    });
    return this.#filling;
  }

  async #openMissing(): Promise<void> {
    while (this.#all.size < this.#connectionCount && !this.#isStopped) {
      this.#serverNumber += 1;
      const server = await PooledServer.open(this.#serverNumber, this.#target);
      if (this.#isStopped) return server.close();
      this.#greeting = server.greeting;
      this.#all.add(server);
      server.onClose(() => this.#forget(server));
      this.#free.push(server);
      this.#assign();
    }
  }

  #forget(server: PooledServer): void {
    this.#all.delete(server);
    const index = this.#free.indexOf(server);
    if (index !== -1) this.#free.splice(index, 1);
  }
}
