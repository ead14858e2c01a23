import type { Bench } from "../harness/bench.ts";
import { measureCallOverhead } from "./call-overhead.ts";
import { measureDueQuestions } from "./due-questions.ts";

export const ledgerBench: Bench = {
  name: "ledger",
  describe: "what the ledger adds to a call over HTTP, and what a question that is due costs",
  run: async (context) => [
    ...(await measureCallOverhead(context)),
    ...(await measureDueQuestions(context)),
  ],
};
