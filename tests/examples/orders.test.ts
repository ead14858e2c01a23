import { everyCrash, mutation, read, testWorkflow } from "@holdfast/testing";
import { describe, expect, test } from "vitest";

const orders = [
  { number: 1, customer: "Ada", cents: 1_250 },
  { number: 2, customer: "Bob", cents: 12_500 },
];

const world = () => {
  let [bookings, parcels] = [0, 0];
  return {
    script: "examples/orders/orders.ts",
    connections: {
      shop: {
        list: read.list<{ query: { after: string } }>(({ query }) => ({
          status: 200,
          body: orders.filter(({ number }) => number > Number(query.after)),
        })),
      },
      books: { post: mutation(() => ({ status: 200, body: { booking: ++bookings } })) },
      parcels: { post: mutation(() => ({ status: 200, body: { parcel: ++parcels } })) },
    },
  };
};

describe("examples/orders", () => {
  test("[S3] every order is booked and sent once, however often it is seen", async () => {
    await using it = await testWorkflow({ ...world(), alwaysReplay: true });
    await it.advance("10s");
    expect(it.sent.map(({ name, params }) => [name, params])).toEqual([
      ["books.post", { path: "/bookings", body: { order: 1, cents: 1_250 }, ref: "1" }],
      ["books.post", { path: "/bookings", body: { order: 2, cents: 12_500 }, ref: "2" }],
      ["parcels.post", { path: "/parcels", body: { order: 1 }, ref: "1" }],
      ["parcels.post", { path: "/parcels", body: { order: 2 }, ref: "2" }],
    ]);
    expect(it.events("order.sent").map(({ payload }) => payload)).toEqual([
      { number: 1, parcel: 1 },
      { number: 2, parcel: 2 },
    ]);
    expect(it.inputs().every(({ status }) => status === "done")).toBe(true);
    expect(it.warnings).toEqual([]);
  });

  test("[R134] [R135] the same wherever its host dies", async () => {
    const { points } = await everyCrash(world, (it) => it.settle());
    expect(points).toContain("after the send of parcels.post");
  });
});
