/**
 * An executor as a process of its own. It says what it does in lines of JSON; with HOLD it makes
 * one call and keeps the receipt until it is told in a line where to bring it.
 */
import { createPrivateKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { http } from "@holdfast/connectors";
import type { TakeAnswer } from "@holdfast/protocol";
import { perform, post, receiptFor } from "./executor-kit.ts";

const { EXECUTOR_URL: url = "", EXECUTOR_TOKEN: token = "", EXECUTOR_KEY: key = "" } = process.env;
const secret = createPrivateKey(readFileSync(key));
const account = http.connect("shop", JSON.parse(process.env["EXECUTOR_ACCOUNT"] ?? "{}"));
const say = (said: object) => console.log(JSON.stringify(said));
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

say({ asks: url });
for (;;) {
  const { body } = await post<TakeAnswer>({ url, token }, "http/take", { waitMs: 20_000 });
  if (body.work === null) continue;
  const result = await perform(account, body.work);
  const receipt = receiptFor(account, body.work, { said: { status: "ok", result }, secret });
  say({ made: body.work.handout });
  const elsewhere = process.env["HOLD"] ? String((await lines.next()).value) : url;
  say(await post({ url: elsewhere, token }, "http/receipts", receipt));
  if (process.env["HOLD"]) process.exit(0);
}
