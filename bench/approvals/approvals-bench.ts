import type { Bench } from "../harness/bench.ts";
import { measureDeskPage } from "./desk-page.ts";
import { measureJudgement } from "./judgement-cost.ts";
import { measureUsage } from "./usage-cost.ts";

export const approvalsBench: Bench = {
  name: "approvals",
  describe: "what it costs to judge a call, and what a page of open questions costs",
  run: async (context) => [
    ...measureJudgement(context),
    ...(await measureUsage(context)),
    ...(await measureDeskPage(context)),
  ],
};
