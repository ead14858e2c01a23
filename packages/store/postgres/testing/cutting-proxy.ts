import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { type Cut, PlannedCut, type RequestReport } from "./cut.ts";
import { findFreePort } from "./free-port.ts";
import { ProxiedConnection } from "./proxied-connection.ts";

/** Stands before a server and breaks connections exactly where a test says. Speaks no TLS. */
export class CuttingProxy {
  readonly #target: URL;
  readonly #port: number;
  readonly #listener: Server;
  readonly #open = new Set<ProxiedConnection>();
  readonly #requests: RequestReport[] = [];
  #plans: PlannedCut[] = [];
  #connectionCount = 0;

  private constructor(target: string, port: number) {
    this.#target = new URL(target);
    this.#port = port;
    this.#listener = createServer((client) => this.#accept(client));
  }

  /** `target` is the URL of a server or of a database on it. */
  static async start(target: string): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(target, await findFreePort());
    await proxy.refuseNew(false);
    return proxy;
  }

  async stop(): Promise<void> {
    await this.refuseNew(true);
    await this.cutAll();
  }

  /** Like the target's, but through the proxy. Null = the same database. */
  url(database: string | null = null): string {
    const url = new URL(this.#target);
    url.host = `127.0.0.1:${this.#port}`;
    if (database !== null) url.pathname = `/${database}`;
    return url.href;
  }

  /** All there ever were. */
  get connectionCount(): number {
    return this.#connectionCount;
  }

  get openCount(): number {
    return this.#open.size;
  }

  /** In the order in which they were whole. */
  get requests(): readonly RequestReport[] {
    return this.#requests;
  }

  /** Several plans may stand; a request that one of them takes is not counted by the later ones. */
  plan(cut: Cut): PlannedCut {
    const planned = new PlannedCut(cut);
    this.#plans.push(planned);
    return planned;
  }

  forgetPlans(): void {
    this.#plans = [];
  }

  /** As while a server restarts: whoever is connected stays, nobody else can connect. */
  async refuseNew(refuses: boolean): Promise<void> {
    if (this.#listener.listening !== refuses) return;
    if (refuses) {
      this.#listener.close();
      return;
    }
    this.#listener.listen(this.#port, "127.0.0.1");
    await once(this.#listener, "listening");
  }

  /** The server has let go of all of them when this is over. */
  async cutAll(): Promise<void> {
    const open = [...this.#open];
    for (const connection of open) connection.cut();
    await Promise.all(open.map(({ closed }) => closed));
  }

  #accept(client: Socket): void {
    this.#connectionCount += 1;
    const number = this.#connectionCount;
    const port = Number(this.#target.port || defaultPort);
    const connection = new ProxiedConnection({
      client,
      server: connect(port, this.#target.hostname),
      report: (request) => this.#report({ ...request, connection: number }),
      takeCut: (sql) => this.#takeCut(sql),
    });
    this.#open.add(connection);
    void connection.closed.then(() => this.#open.delete(connection));
  }

  #report(request: Pick<RequestReport, "sql" | "length" | "connection">): RequestReport {
    const number = this.#requests.length + 1;
    const report = { ...request, number, responseLength: 0, isAnswered: false, cut: null };
    this.#requests.push(report);
    return report;
  }

  #takeCut(sql: string): PlannedCut | null {
    const planned = this.#plans.find((each) => each.countDown(sql)) ?? null;
    this.#plans = this.#plans.filter((each) => each !== planned);
    return planned;
  }
}

const defaultPort = 5_432;
