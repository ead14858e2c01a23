import { lookup as lookupName } from "node:dns";
import { once } from "node:events";
import { connect as connectTcp, isIP, isIPv6, type LookupFunction, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { Patience, type Waiting } from "./patience.ts";
import { isPrivate } from "./private-address.ts";

export type Place = Waiting & {
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
  readonly allowPrivateAddresses: boolean;
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
export async function connectTo(
  place: Place,
  resolve: LookupFunction = lookupName,
): Promise<Socket> {
  const { host, port, isTls, allowPrivateAddresses } = place;
  const named = `${isIPv6(host) ? `[${host}]` : host}:${port}`;
  if (!allowPrivateAddresses && isIP(host) !== 0 && isPrivate(host)) throw refused(named, host);
  const lookup = allowPrivateAddresses ? resolve : onlyPublic(resolve, named);
  const socket = isTls
    ? connectTls({ host, port, lookup, ...(isIPv6(host) ? {} : { servername: host }) })
    : connectTcp({ host, port, lookup });
  // Whoever waits is told; between two who wait nobody listens, and the process would end.
  socket.on("error", () => {});
  const patience = new Patience(place, (reason) => socket.destroy(reason));
  try {
    await once(socket, isTls ? "secureConnect" : "connect");
  } catch (error) {
    socket.destroy();
    if (error instanceof NotAllowed) throw error;
    throw new NotReached(`${named} cannot be reached: ${reasonOf(error)}`, { cause: error });
  } finally {
    patience.take();
  }
  // Once more on the open connection: whatever chose the address, this is where it leads.
  const { remoteAddress = "an address that is gone" } = socket;
  if (!allowPrivateAddresses && isPrivate(remoteAddress)) {
    socket.destroy();
    throw refused(named, remoteAddress);
  }
  return socket;
}

/**
 * The connection is made to what is answered here, and the name is asked for no second time: it
 * cannot point elsewhere in between. One private address among several refuses them all, because
 * any of them may be the one that is taken. Nothing is connected then, so that nobody learns from a
 * refusal what listens on a local network.
 */
function onlyPublic(resolve: LookupFunction, named: string): LookupFunction {
  return (hostname, options, answer) =>
    resolve(hostname, options, (error, found, family) => {
      if (error !== null) return answer(error, found, family);
      const all = typeof found === "string" ? [found] : found.map(({ address }) => address);
      const local = all.find(isPrivate);
      return answer(local === undefined ? null : refused(named, local), found, family);
    });
}

function refused(named: string, address: string): NotAllowed {
  return new NotAllowed(`${named} is ${address}, which the account does not allow`);
}

export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  return code ?? error.message;
}
