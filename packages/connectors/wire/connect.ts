import { once } from "node:events";
import { connect as connectTcp, isIPv6, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { isPrivate } from "./private-address.ts";

export type Place = {
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
  readonly timeoutMs: number;
  readonly allowPrivateAddresses: boolean;
  /** Fires when nobody waits any more. */
  readonly signal: AbortSignal;
};

/** Not a byte of the request has left. */
export class NotReached extends Error {
  override readonly name = "NotReached";
}

/** The account does not lead there. Not a byte of the request has left. */
export class NotAllowed extends Error {
  override readonly name = "NotAllowed";
}

/** An open connection of its own; throws NotReached or NotAllowed, and leaves none behind then. */
export async function connectTo(place: Place): Promise<Socket> {
  const { host, port, isTls, timeoutMs, allowPrivateAddresses } = place;
  const socket = isTls
    ? connectTls({ host, port, ...(isIPv6(host) ? {} : { servername: host }) })
    : connectTcp({ host, port });
  const named = `${isIPv6(host) ? `[${host}]` : host}:${port}`;
  try {
    const signal = AbortSignal.any([place.signal, AbortSignal.timeout(timeoutMs)]);
    await once(socket, isTls ? "secureConnect" : "connect", { signal });
  } catch (error) {
    socket.destroy();
    throw new NotReached(`${named} cannot be reached: ${reasonOf(error)}`, { cause: error });
  }
  // Looked at on the open connection, so that no name can point elsewhere in between.
  if (!allowPrivateAddresses && isPrivate(socket.remoteAddress)) {
    socket.destroy();
    const address = socket.remoteAddress ?? "an address that is gone";
    throw new NotAllowed(`${named} is ${address}, which the account does not allow`);
  }
  return socket;
}

export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  if (error.name === "AbortError" || error.name === "TimeoutError") return "it took too long";
  return code ?? error.message;
}
