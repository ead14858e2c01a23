import { BlockList, isIP } from "node:net";

const privateNets = new BlockList();
for (const [net, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
] as const) {
  privateNets.addSubnet(net, prefix, "ipv4");
}
/** Also those that hold an address of version 4, which a router on the way may put in its place. */
for (const [net, prefix] of [
  ["::", 96],
  ["::ffff:0:0:0", 96],
  ["64:ff9b::", 96],
  ["64:ff9b:1::", 48],
  ["2001::", 32],
  ["2002::", 16],
  ["fc00::", 7],
  ["fe80::", 10],
  ["fec0::", 10],
  ["ff00::", 8],
] as const) {
  privateNets.addSubnet(net, prefix, "ipv6");
}

/** Loopback, local networks, link-local and the like; one that is not known counts as private. */
export function isPrivate(address: string): boolean {
  const version = isIP(address);
  if (version === 0) return true;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return privateNets.check(mapped, "ipv4");
  return privateNets.check(address, version === 6 ? "ipv6" : "ipv4");
}
