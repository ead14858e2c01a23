import { connect, type Socket } from "node:net";
import type { Lap } from "../harness/rounds.ts";

export type LoadRequest = {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly token: string | null;
  readonly body?: string;
};

export type Load = {
  readonly url: string;
  readonly clients: number;
  /** Requests of all clients together. */
  readonly count: number;
  readonly next: (no: number) => LoadRequest;
};

const statusLine = /^HTTP\/1\.1 (\d{3})/;
const lengthLine = /\r\ncontent-length: (\d+)/i;

/** Each client has one connection and asks again when it has the answer; whatever fails throws. */
export async function putLoad({ url, clients, count, next }: Load): Promise<Lap> {
  const sockets = await Promise.all(Array.from({ length: clients }, () => openSocket(url)));
  const startedAt = performance.now();
  let begun = 0;
  await Promise.all(
    sockets.map(async (socket) => {
      while (begun < count) await exchange(socket, textOf(url, next(begun++)));
    }),
  );
  const ms = performance.now() - startedAt;
  for (const socket of sockets) socket.destroy();
  return { count, ms };
}

async function openSocket(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve).once("error", reject);
  });
  return socket;
}

function textOf(url: string, { method, path, token, body = "" }: LoadRequest): string {
  const head = [
    `${method} ${path} HTTP/1.1`,
    `host: ${new URL(url).host}`,
    ...(token === null ? [] : [`authorization: Bearer ${token}`]),
    ...(body === "" ? [] : ["content-type: application/json"]),
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  return `${head.join("\r\n")}\r\n\r\n${body}`;
}

function exchange(socket: Socket, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let read = "";
    const onData = (bytes: Buffer) => {
      read += bytes.toString("latin1");
      const end = read.indexOf("\r\n\r\n");
      if (end < 0) return;
      const length = Number(lengthLine.exec(read.slice(0, end))?.[1] ?? Number.NaN);
      if (Number.isNaN(length)) return reject(new Error(`no length: ${read.slice(0, 200)}`));
      if (read.length < end + 4 + length) return;
      socket.off("data", onData);
      const status = statusLine.exec(read)?.[1];
      if (status === "200") resolve();
      else reject(new Error(`${status}: ${read.slice(end)}`));
    };
    socket.on("data", onData);
    socket.write(text);
  });
}
