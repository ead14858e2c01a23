// A shop to try things with. It books what is posted to it; every third answer gets lost on its
// way, after the work was done.
import { createServer } from "node:http";

const booked = [];

createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  booked.push(JSON.parse(Buffer.concat(chunks).toString()));
  console.log(`booked ${booked.length}: ${JSON.stringify(booked.at(-1))}`);
  if (booked.length % 3 === 0) return request.socket.destroy();
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ number: booked.length }));
}).listen(4711, "127.0.0.1");
