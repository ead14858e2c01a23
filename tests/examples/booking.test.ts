import { everyCrash, mutation, read, testWorkflow, timesOut } from "@holdfast/testing";
import { describe, expect, test } from "vitest";

const order = (id: string, customer: string, totalCents: number) => ({
  id,
  customer,
  totalCents,
  placedAt: "2026-01-05T08:30:00Z",
});

const orders = [order("o-1", "Ada", 1_000), order("o-2", "Bob", 2_500), order("o-3", "Eve", 0)];

const services = (
  addEntry = mutation<{ reference: string }>((entry) => ({ entryId: `e-${entry.reference}` })),
) => ({
  script: "examples/booking/booking.ts",
  connections: {
    shop: { listOrders: read.list(orders) },
    books: {
      findAccount: read.byKey<{ customer: string }>(({ customer }) =>
        customer === "Ada" ? { accountId: "1500" } : null,
      ),
      addEntry,
    },
  },
});

describe("examples/booking", () => {
  test("[S3] books every order once, to the customer's account or the collective one", async () => {
    await using it = await testWorkflow({ ...services(), alwaysReplay: true });
    await it.advance("1h");
    expect(it.sent.map(({ params }) => params)).toEqual([
      { reference: "o-1", accountId: "1500", amountCents: 1_000 },
      { reference: "o-2", accountId: "1400", amountCents: 2_500 },
    ]);
    expect(it.events("order.booked").map(({ payload }) => payload)).toEqual([
      { orderId: "o-1", entryId: "e-o-1" },
      { orderId: "o-2", entryId: "e-o-2" },
    ]);
    // A free order needs no entry, and is done all the same.
    expect(it.inputs().map(({ title, status }) => [title, status])).toEqual(
      expect.arrayContaining([["Order o-3 of Eve", "done"]]),
    );
    expect(it.warnings).toEqual([]);
  });

  test("[R73] asks when it does not know whether it booked, and goes on when told", async () => {
    await using it = await testWorkflow(services(mutation(timesOut())));
    await it.settle();
    const [question] = it.questions();
    expect(question?.call).toMatchObject({ name: "books.addEntry", params: { reference: "o-1" } });
    await it.answer(question, "skip");
    await it.settle();
    expect(it.events("order.received")[0]?.status).toBe("skipped");
  });

  test("[R134] [R135] books every order once wherever its host dies", async () => {
    const { points } = await everyCrash(services(), (it) => it.settle());
    expect(points.length).toBeGreaterThan(20);
  });
});
