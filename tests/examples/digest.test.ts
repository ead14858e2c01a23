import { everyCrash, mutation, read, testWorkflow } from "@holdfast/testing";
import { describe, expect, test } from "vitest";

const notes = [
  { id: "n-1", number: 1, author: "Ada", text: "Tea is out." },
  { id: "n-2", number: 2, author: "Bob", text: "So is coffee." },
];

const options = {
  script: "examples/digest/digest.ts",
  connections: {
    board: {
      listNotes: read.list<{ after: number }>(({ after }) =>
        notes.filter(({ number }) => number > after),
      ),
    },
    mail: { send: mutation({ mailId: "m-1" }) },
  },
};

describe("examples/digest", () => {
  test("[S7] gathers the day's notes and sends them as one mail in the evening", async () => {
    await using it = await testWorkflow({ ...options, alwaysReplay: true });
    await it.advanceTo("2026-01-05T16:59:00Z");
    expect(it.sent).toEqual([]);
    expect(it.state("watch")).toEqual({ after: 2 });
    await it.advanceTo("2026-01-05T17:10:00Z");
    expect(it.sent).toMatchObject([
      {
        name: "mail.send",
        params: { subject: "Notes of 2026-01-05", body: "Ada: Tea is out.\nBob: So is coffee." },
        at: "2026-01-05T17:00:00.000Z",
      },
    ]);
    expect(it.state("send")).toEqual({ sentOn: "2026-01-05" });
  });

  test("sends no second mail on the same day", async () => {
    await using it = await testWorkflow(options);
    await it.advanceTo("2026-01-05T18:00:00Z");
    await it.publish("note.added", { messageId: "late", author: "Eve", text: "Milk too." });
    await it.advanceTo("2026-01-05T23:59:00Z");
    expect(it.sent).toHaveLength(1);
    await it.advanceTo("2026-01-06T17:30:00Z");
    expect(it.sent.map(({ params }) => params["body"])).toHaveLength(2);
  });

  test("[R134] [R135] sends one mail wherever its host dies", async () => {
    await everyCrash({ ...options, now: "2026-01-05T16:55:00Z" }, (it) => it.advance("10m"));
  });
});
