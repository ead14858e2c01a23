/** A process that starts a server, says what belongs to it, and stays until it is killed. */
import { dirname } from "node:path";
import { TestServer } from "./test-server.ts";

const server = await TestServer.start();
const said = { folder: dirname(server.dataFolder), processIds: server.processIds };
process.stdout.write(`${JSON.stringify(said)}\n`);
setInterval(() => {}, 1_000_000);
