import { openMemoryStore } from "@holdfast/store/memory";
import { expect, test } from "vitest";
import { Metrics } from "./metrics.ts";

const lineForm = /^(# (HELP|TYPE) \w+ .+|\w+(\{\w+="\w+"\})? \d+(\.\d+)?)$/;

test("what was recorded is counted by kind, in the text form of Prometheus", async () => {
  const store = openMemoryStore({ clock: () => 1, newIncarnation: () => "store" });
  const metrics = new Metrics({ store, openStreams: () => 3, wedges: { count: async () => 2 } });
  metrics.committed(["run_started", "mutation_applied", "run_committed"]);
  metrics.committed(["run_committed"]);
  const lines = (await metrics.text()).trimEnd().split("\n");
  for (const line of lines) expect(line).toMatch(lineForm);
  expect(lines).toEqual(
    expect.arrayContaining([
      "# TYPE holdfast_facts_total counter",
      'holdfast_facts_total{kind="run_committed"} 2',
      'holdfast_facts_total{kind="mutation_applied"} 1',
      "holdfast_commits_total 2",
      "holdfast_live_streams 3",
      "holdfast_store_up 1",
      "holdfast_open_questions 0",
      "holdfast_wedges 2",
    ]),
  );
});

test("a store that is away is told as that, and nothing is made up", async () => {
  const away = () => Promise.reject(new Error("no connection"));
  const store = { census: away, listAttentions: away };
  const text = await new Metrics({ store, openStreams: () => 0, wedges: { count: away } }).text();
  expect(text).toContain("holdfast_store_up 0\n");
  expect(text).not.toContain("holdfast_open_questions");
  expect(text).not.toContain("holdfast_wedges");
});
