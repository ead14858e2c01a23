/** The service that is called, in a process of its own: what it does there is not timed. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const server = createServer((request, response) => {
  request.resume().on("end", () => {
    response.writeHead(200, { "content-type": "application/json" }).end('{"number":1}');
  });
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
const { port } = server.address() as AddressInfo;
process.send?.({ url: `http://127.0.0.1:${port}` });
// Its parent has gone, whether it said so or not.
process.once("disconnect", () => process.exit());
