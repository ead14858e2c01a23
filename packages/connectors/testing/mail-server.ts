import { createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** Where in the talk something goes wrong; `end` is after the whole mail was given. */
type Moment = "greeting" | "auth" | "rcpt" | "data" | "end";
export type Trouble = {
  readonly at: Moment;
  /** A number is said in place of the usual one. */
  readonly does: "hang" | "drop" | number;
};

const usual: Readonly<Record<Moment, string>> = {
  greeting: "220 mail.test",
  auth: "235 you are who you say",
  rcpt: "250 they are here",
  data: "354 go on",
  end: "250 it is mine now",
};

const answers: Readonly<Record<string, string>> = {
  EHLO: "250-mail.test\r\n250 AUTH PLAIN\r\n",
  STARTTLS: "502 not here\r\n",
};

const moments: Readonly<Record<string, Moment>> = { AUTH: "auth", RCPT: "rcpt", DATA: "data" };

/** Takes mail over real connections, but for what it is told to get wrong, once for each. */
export class MailServer {
  /** Whole mails as they came, also those whose taking was never said. */
  readonly mails: string[] = [];
  readonly lines: string[] = [];
  readonly troubles: Trouble[] = [];
  port = 0;

  static async open(): Promise<MailServer> {
    const taker = new MailServer();
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on("error", () => {});
      taker.#talk(socket);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("it does not listen");
    taker.port = address.port;
    return taker;
  }

  #talk(socket: Socket): void {
    let isMail = false;
    let heard = "";
    this.#say(socket, "greeting");
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      heard += chunk;
      for (;;) {
        const end = isMail ? "\r\n.\r\n" : "\r\n";
        const at = heard.indexOf(end);
        if (at < 0) return;
        const said = heard.slice(0, at);
        heard = heard.slice(at + end.length);
        if (isMail) this.#take(socket, said);
        isMail = !isMail && this.#obey(socket, said);
      }
    });
  }

  #take(socket: Socket, mail: string): void {
    this.mails.push(mail);
    this.#say(socket, "end");
  }

  /** True = a mail follows. */
  #obey(socket: Socket, line: string): boolean {
    this.lines.push(line);
    const [verb = ""] = line.toUpperCase().split(" ");
    const moment = moments[verb];
    if (moment !== undefined) return this.#say(socket, moment) && moment === "data";
    socket.write(answers[verb] ?? "250 well\r\n");
    return false;
  }

  /** True = as usual. */
  #say(socket: Socket, moment: Moment): boolean {
    const index = this.troubles.findIndex(({ at }) => at === moment);
    const [trouble] = index < 0 ? [] : this.troubles.splice(index, 1);
    if (trouble === undefined) return socket.write(`${usual[moment]}\r\n`) || true;
    if (trouble.does === "drop") socket.destroy();
    else if (trouble.does !== "hang") socket.write(`${trouble.does} no\r\n`);
    return false;
  }
}
