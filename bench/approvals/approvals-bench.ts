import type { Bench } from "../harness/bench.ts";
import { measureDeskPage } from "./desk-page.ts";

export const approvalsBench: Bench = {
  name: "approvals",
  describe: "what a page of open questions costs, however many there are",
  run: (context) => measureDeskPage(context),
};
