import type { Socket } from "node:net";
import type { Cut, PlannedCut, RequestReport } from "./cut.ts";
import { asksForEncryption, MessageReader, readTexts, type WireMessage } from "./wire-message.ts";

/** Query, Sync and Terminate end a request. */
const endsRequest = /^[QSX]$/;
/** Flush and all that belongs to a COPY: the server has to see them before the request ends. */
const cannotWait = /^[Hdcf]$/;

type Awaited = {
  readonly report: RequestReport;
  readonly response: Buffer[];
  /** Gets the whole response. Null = it goes to the client as it comes. */
  readonly onAnswer: ((response: Buffer) => void) | null;
};

export type ConnectionOptions = {
  readonly client: Socket;
  readonly server: Socket;
  readonly report: (request: { readonly sql: string; readonly length: number }) => RequestReport;
  /** Null = this request goes through. */
  readonly takeCut: (sql: string) => PlannedCut | null;
};

/** One client, its server, and the place where the two come apart. */
export class ProxiedConnection {
  /** The server has let go of the connection too, and so of all it did for it. */
  readonly closed: Promise<void>;
  readonly #client: Socket;
  readonly #server: Socket;
  readonly #options: ConnectionOptions;
  readonly #fromClient = new MessageReader({ startsUntyped: true });
  readonly #fromServer = new MessageReader({ startsUntyped: false });
  readonly #arrived: WireMessage[] = [];
  readonly #statements = new Map<string, string>();
  readonly #awaited: Awaited[] = [];
  #parts: Buffer[] = [];
  #flushedBytes = 0;
  #sql: string[] = [];
  #isReady = false;
  #isStalled = false;
  #isCut = false;

  constructor(options: ConnectionOptions) {
    const { client, server } = options;
    [this.#options, this.#client, this.#server] = [options, client, server];
    for (const socket of [client, server]) {
      socket.setNoDelay(true);
      socket.on("error", () => {}); // it closes after an error, and that is what counts
    }
    client.on("data", (chunk) => {
      this.#arrived.push(...this.#fromClient.read(chunk));
      this.#proceed();
    });
    server.on("data", (chunk) => {
      for (const message of this.#fromServer.read(chunk)) this.#respond(message);
    });
    client.on("close", () => {
      // A client that was cut has not let go of the server: the cut says when that ends.
      if (!this.#isCut) server.end();
    });
    server.on("close", () => client.destroySoon());
    this.closed = new Promise((resolve) => server.once("close", () => resolve()));
  }

  /** Both sides, wherever they are. */
  cut(): void {
    this.#cutClient(undefined);
    this.#server.end();
  }

  #proceed(): void {
    while (!this.#isStalled && !this.#isCut) {
      const message = this.#arrived.shift();
      if (message === undefined) return;
      this.#accept(message);
    }
  }

  #accept(message: WireMessage): void {
    const { type, bytes } = message;
    if (type === "" && asksForEncryption(bytes)) return this.#tell(Buffer.from("N"));
    // Start and passwords are no requests.
    if (type === "" || type === "p") return this.#forward(bytes);
    this.#noteSql(message);
    this.#parts.push(bytes);
    if (endsRequest.test(type)) this.#finishRequest();
    else if (cannotWait.test(type)) this.#flush();
  }

  #noteSql(message: WireMessage): void {
    const [first = "", second = ""] = readTexts(message);
    if (message.type === "Q") this.#sql.push(first);
    if (message.type === "P") this.#statements.set(first, second);
    // Bind names its portal, then the statement.
    if (message.type === "B") this.#sql.push(this.#statements.get(second) ?? "");
  }

  #flush(): void {
    const bytes = Buffer.concat(this.#parts);
    this.#flushedBytes += bytes.length;
    this.#parts = [];
    this.#forward(bytes);
  }

  #finishRequest(): void {
    const bytes = Buffer.concat(this.#parts);
    const sql = this.#sql.join("; ");
    const report = this.#options.report({ sql, length: this.#flushedBytes + bytes.length });
    [this.#parts, this.#sql, this.#flushedBytes] = [[], [], 0];
    const planned = this.#options.takeCut(sql);
    if (planned === null) this.#ask(bytes, report, null);
    else this.#perform(planned, bytes, report);
  }

  #perform(planned: PlannedCut, bytes: Buffer, report: RequestReport): void {
    const { place, how } = planned.cut;
    report.cut = place.at;
    void this.closed.then(() => planned.markSettled(report));
    const hit = (goOn: (() => void) | null = null) => planned.markHit(report, goOn);
    const letGo = () => this.#server.end();
    switch (place.at) {
      case "stall":
        this.#isStalled = true;
        return hit(() => this.#goOn(() => this.#askAndTell(bytes, report, planned)));
      case "stall-response":
        return this.#ask(bytes, report, (response) => {
          hit(() => this.#goOn(() => this.#tellAndSettle(response, report, planned)));
        });
      case "mid-response":
        return this.#ask(bytes, report, (response) => {
          this.#cutClient(how, response.subarray(0, place.bytes));
          letGo();
          hit();
        });
      case "before":
        letGo();
        break;
      case "mid-request":
        this.#server.end(bytes.subarray(0, Math.min(place.bytes, bytes.length - 1)));
        break;
      case "after-request":
        this.#ask(bytes, report, letGo);
        break;
      case "after-request-both":
        this.#server.end(bytes);
        break;
      case "hold-then-deliver":
        this.#cutClient(how);
        return hit(() => this.#ask(bytes, report, letGo));
    }
    this.#cutClient(how);
    hit();
  }

  /** Nothing goes on for a client that has given up meanwhile. */
  #goOn(next: () => void): void {
    if (!this.#client.destroyed) next();
    this.#isStalled = false;
    this.#proceed();
  }

  #askAndTell(bytes: Buffer, report: RequestReport, planned: PlannedCut): void {
    this.#ask(bytes, report, (response) => this.#tellAndSettle(response, report, planned));
  }

  #tellAndSettle(response: Buffer, report: RequestReport, planned: PlannedCut): void {
    this.#tell(response);
    planned.markSettled(report);
  }

  #ask(bytes: Buffer, report: RequestReport, onAnswer: Awaited["onAnswer"]): void {
    this.#awaited.push({ report, response: [], onAnswer });
    this.#forward(bytes);
  }

  #respond({ type, bytes }: WireMessage): void {
    const [awaited] = this.#awaited;
    const isReadyForQuery = type === "Z";
    // The first one ends the start; what the server says unasked belongs to no request either.
    if (awaited === undefined || !this.#isReady) {
      this.#isReady ||= isReadyForQuery;
      return this.#tell(bytes);
    }
    awaited.report.responseLength += bytes.length;
    if (awaited.onAnswer === null) this.#tell(bytes);
    else awaited.response.push(bytes);
    if (!isReadyForQuery) return;
    awaited.report.isAnswered = true;
    this.#awaited.shift();
    awaited.onAnswer?.(Buffer.concat(awaited.response));
  }

  #forward(bytes: Buffer): void {
    if (this.#server.writable) this.#server.write(bytes);
  }

  #tell(bytes: Buffer): void {
    if (this.#client.writable) this.#client.write(bytes);
  }

  #cutClient(how: Cut["how"], last: Buffer = Buffer.alloc(0)): void {
    const client = this.#client;
    this.#isCut = true;
    this.#tell(last);
    if (how === "reset") client.write("", () => client.resetAndDestroy());
    else client.destroySoon();
  }
}
