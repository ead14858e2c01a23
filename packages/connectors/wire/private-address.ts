import { BlockList, isIPv6 } from "node:net";

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
for (const [net, prefix] of [
  ["::", 127],
  ["64:ff9b::", 96],
  ["2002::", 16],
  ["fc00::", 7],
  ["fe80::", 10],
  ["ff00::", 8],
] as const) {
  privateNets.addSubnet(net, prefix, "ipv6");
}

/** Loopback, local networks, link-local and the like; one that is not known counts as private. */
export function isPrivate(address: string | undefined): boolean {
  if (address === undefined) return true;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return privateNets.check(mapped, "ipv4");
  return privateNets.check(address, isIPv6(address) ? "ipv6" : "ipv4");
}
