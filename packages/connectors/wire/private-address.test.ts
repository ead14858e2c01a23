import { expect, test } from "vitest";
import { isPrivate } from "./private-address.ts";

const privateOnes = `
0.0.0.0          this machine
0.255.255.255    this machine
10.0.0.1         local network
100.64.0.1       carrier's network
100.127.255.255  carrier's network
127.0.0.1        loopback
127.255.255.254  loopback
169.254.169.254  link-local, where clouds tell credentials
172.16.0.1       local network
172.31.255.255   local network
192.0.0.1        protocol assignments
192.168.1.1      local network
198.18.0.1       benches
224.0.0.1        multicast
255.255.255.255  broadcast
::               this machine
::1              loopback
::1%lo           loopback, with its zone
fc00::1          unique local
fd12:3456::1     unique local
fe80::1          link-local
fe80::1%eth0     link-local, with its zone
febf::1          link-local
fec0::1          site-local
ff02::1          multicast
::ffff:127.0.0.1 loopback, mapped
::FFFF:10.0.0.1  local network, mapped
::ffff:7f00:1    loopback, mapped, in hex
0:0:0:0:0:ffff:a9fe:a9fe  link-local, mapped, at length
::127.0.0.1      loopback, in the old form
::ffff:0:127.0.0.1  loopback, translated
64:ff9b::7f00:1  loopback, behind NAT64
64:ff9b:1::1     NAT64 of a local network
2001:0:1::1      Teredo
2002:7f00:1::1   6to4
localhost        a name
127.1            short for loopback
2130706433       a number
0x7f.0.0.1       in hex
an-address-that-is-gone  no address
`;

const publicOnes = `
1.1.1.1
9.255.255.255
11.0.0.0
100.63.255.255
100.128.0.0
126.255.255.255
128.0.0.1
169.253.255.255
172.15.255.255
172.32.0.0
192.167.255.255
193.0.0.1
198.17.255.255
198.20.0.0
223.255.255.255
::ffff:8.8.8.8
::ffff:808:808
2001:4860:4860::8888
2606:4700:4700::1111
2003::1
fbff::1
`;

const lines = (table: string) => table.trim().split("\n");

test.each(lines(privateOnes).map((line) => line.split(/(?<=^\S+) +/)))(
  "%s is private: %s",
  (address) => expect(isPrivate(address)).toBe(true),
);

test.each(lines(publicOnes))("%s is not", (address) => {
  expect(isPrivate(address)).toBe(false);
});
