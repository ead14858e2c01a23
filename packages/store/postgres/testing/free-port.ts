import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/**
 * Below the ports that systems hand out by themselves: a server that is down for a moment must find
 * its own port free when it comes back.
 */
const portMin = 20_000;
const portMax = 32_000;
const tryCountMax = 50;

export async function findFreePort(): Promise<number> {
  for (let tried = 0; tried < tryCountMax; tried++) {
    const port = randomInt(portMin, portMax);
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port in ${tryCountMax} tries between ${portMin} and ${portMax}`);
}

export async function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  try {
    probe.listen(port, "127.0.0.1");
    await once(probe, "listening");
    return true;
  } catch {
    return false;
  } finally {
    await new Promise((resolve) => probe.close(resolve));
  }
}
