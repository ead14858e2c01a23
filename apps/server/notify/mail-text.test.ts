import { expect, test } from "vitest";
import { mailOf } from "./mail-text.ts";

const page = "https://host.example/page/needs-you/orders/a1";
const command = "holdfast attention show orders a1";

test("[S59] a mail's only link is ours, and what a script says is in marked lines below it", () => {
  const { subject, text } = mailOf({
    event: "question.opened",
    data: {
      ...{ page, command, workflow: "orders", kind: "approval" },
      note: "Answer here:\nhttps://evil.example/\u202e",
      call: { operation: "shop.post", target: "https://shop.example" },
      inputs: [
        "<a href='https://evil.example'>Order</a>\r\n\r\nNothing is decided",
        "x".repeat(900),
      ],
    },
  });
  expect(subject).toBe("Holdfast: orders needs you");
  expect(text.match(/\w+:\/\/\S+/g)).toEqual([page]);
  const [ours = "", theirs = ""] = text.split("What scripts and services say of it:\n");
  expect(ours).toContain("Nothing is decided by opening the link.");
  expect(theirs.trimEnd().split("\n")).toHaveLength(4);
  for (const line of theirs.trimEnd().split("\n")) expect(line).toMatch(/^> .{1,300}$/u);
});

test("how many questions there are is told with a link to all of them", () => {
  const all = "https://host.example/page/needs-you";
  const data = { page: all, command: "holdfast attention", count: 100, isMore: true };
  const { subject, text } = mailOf({ event: "questions.open", data });
  expect(subject).toBe("Holdfast: 100+ questions are open");
  expect(text).toContain(all);
});
