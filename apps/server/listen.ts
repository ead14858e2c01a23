import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, isIP, isIPv6 } from "node:net";
import { createSecureContext } from "node:tls";
import { HostError } from "@holdfast/core";
import { type ServerType, serve } from "@hono/node-server";
import { answersWith, securityHeaders } from "./api/security-headers.ts";

/** Where the host listens, as the environment says it. */
export type ListenPlace = {
  readonly address: string;
  readonly port: number;
  readonly certFile: string | null;
  readonly keyFile: string | null;
};

/** The same, read and admitted. */
export type Doorway = {
  readonly address: string;
  readonly port: number;
  /** Null = in the clear. */
  readonly tls: { readonly cert: Buffer; readonly key: Buffer } | null;
};

/**
 * Tokens and answers go over the wire: in the clear they stay on this machine, unless somebody has
 * said that they need not.
 */
export function admitPlace(place: ListenPlace, isInsecureAllowed: boolean): Doorway {
  const { port, certFile, keyFile } = place;
  const address = place.address === "localhost" ? "127.0.0.1" : place.address;
  if (isIP(address) === 0) {
    throw refused(`${address} is not an address.`, "Name an IP address of this machine.");
  }
  const tls = certFile === null || keyFile === null ? null : readTls(certFile, keyFile);
  if ((certFile === null) !== (keyFile === null)) {
    throw refused(
      "Only one of HOLDFAST_TLS_CERT and HOLDFAST_TLS_KEY is set.",
      "Set both, or none.",
    );
  }
  if (tls === null && !isLoopback(address) && !isInsecureAllowed) {
    throw refused(
      `${address} can be reached from other machines, and tokens would go there in the clear.`,
      "Set HOLDFAST_TLS_CERT and HOLDFAST_TLS_KEY, listen on 127.0.0.1 behind a proxy that ends " +
        "TLS, or say --insecure-listen if nobody can read along.",
    );
  }
  return { address, port, tls };
}

function isLoopback(address: string): boolean {
  return address === "::1" || (isIP(address) === 4 && address.startsWith("127."));
}

function readTls(certFile: string, keyFile: string): NonNullable<Doorway["tls"]> {
  try {
    const tls = { cert: readFileSync(certFile), key: readFileSync(keyFile) };
    createSecureContext(tls);
    return tls;
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    const why = code.startsWith("ERR_") ? "they do not belong together, or are no PEM" : message;
    throw refused(
      `${certFile} and ${keyFile} cannot be used as certificate and key: ${why}.`,
      "Give the host a certificate and its key, both as PEM.",
      error,
    );
  }
}

type Fetch = Parameters<typeof serve>[0]["fetch"];

export async function listen(
  fetch: Fetch,
  { address, port, tls }: Doorway,
): Promise<{ readonly server: ServerType; readonly url: string }> {
  const headers = await securityHeaders({ isTls: tls !== null });
  const serverOptions = { ServerResponse: answersWith(headers), ...tls };
  const by = { createServer: tls === null ? createServer : createSecureServer, serverOptions };
  return new Promise((resolve, reject) => {
    const server = serve({ fetch, port, hostname: address, ...by }, (info: AddressInfo) => {
      resolve({ server, url: urlOf(address, info.port, tls === null ? "http" : "https") });
    });
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(explained(error, { address, port })),
    );
  });
}

/** As commands on this machine reach it. */
function urlOf(address: string, port: number, scheme: string): string {
  const everywhere: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };
  const near = everywhere[address] ?? address;
  return `${scheme}://${isIPv6(near) ? `[${near}]` : near}:${port}`;
}

function explained(
  error: NodeJS.ErrnoException,
  { address, port }: { readonly address: string; readonly port: number },
): Error {
  if (error.code === "EADDRINUSE") {
    return new HostError("PORT_TAKEN", {
      what: `Port ${port} on ${address} is in use.`,
      remedy: "Stop it, or choose another port with HOLDFAST_PORT.",
      retry: "safe",
      cause: error,
      details: { port },
    });
  }
  if (error.code === "EADDRNOTAVAIL") {
    const what = `${address} is not an address of this machine.`;
    return refused(what, "Name one of its own with HOLDFAST_LISTEN.", error);
  }
  if (error.code === "EACCES") {
    const what = `This user may not listen on port ${port}.`;
    return refused(what, "Choose a port from 1024 on with HOLDFAST_PORT.", error);
  }
  return error;
}

function refused(what: string, remedy: string, cause?: unknown): HostError {
  return new HostError("LISTEN_REFUSED", { what, remedy, retry: "safe", cause });
}
