// A shop to try things with. It books what is posted to it; every third answer gets lost on its
// way, after the work was done. `GET /orders?ref=…` shows what was booked under a reference.
import { createServer } from "node:http";

const booked = [];

async function book(request, response) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const order = JSON.parse(Buffer.concat(chunks).toString());
  booked.push(order);
  console.log(`booked ${booked.length}: order ${order.id}`);
  if (booked.length % 3 === 0) return request.socket.destroy();
  answer(response, { number: booked.length });
}

function show(request, response) {
  const ref = new URL(request.url, "http://shop").searchParams.get("ref");
  const found = booked.flatMap((order, index) =>
    order.ref === ref ? [{ ref, number: index + 1 }] : [],
  );
  console.log(`asked for ${ref.slice(0, 16)}…: ${found.length} found`);
  answer(response, found);
}

function answer(response, value) {
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(value));
}

createServer((request, response) => {
  if (request.method === "GET") return show(request, response);
  return book(request, response);
}).listen(4711, "127.0.0.1");
