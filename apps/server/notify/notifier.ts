import { randomUUID } from "node:crypto";
import type { AttentionItem, Page, Timers } from "@holdfast/host";
import type { LogIds } from "../host-log.ts";
import type { News } from "./mail-text.ts";
import type { Sink } from "./sinks.ts";

/** So many questions are told one by one in a minute; the others are only counted. */
const toldPerMinuteMax = 20;
const minuteMs = 60_000;
const remindMs = 86_400_000;
/** A sink that does not take it is tried again after each of these, and then no more. */
const againAfterMs = [1_000, 10_000, 60_000] as const;

export type NotifierParts = {
  readonly find: (asked: Asked) => Promise<AttentionItem | null>;
  /** The newest ones that are open. */
  readonly findOpen: () => Promise<Page<unknown>>;
  readonly sinks: readonly Sink[];
  readonly timers: Timers;
  /** Where people reach this host. */
  readonly url: string;
  readonly say: (line: string, ids?: LogIds) => void;
  readonly complain: (line: string, ids?: LogIds) => void;
};

type Asked = { readonly workflow: string; readonly attentionId: string };

/**
 * Tells people that they are asked, as it happens, and once a day what is still open. Best effort:
 * the question itself is in the store, and only an answer with a name on it decides anything.
 */
export class Notifier {
  readonly #parts: NotifierParts;
  readonly #waits = new Set<() => void>();
  #toldCount = 0;
  #untoldCount = 0;
  readonly #closing = new AbortController();

  constructor(parts: NotifierParts) {
    this.#parts = parts;
  }

  /** At once and every day: a host that died may have told nobody. */
  remind(): void {
    void this.#remind().catch((error: unknown) =>
      this.#parts.complain(`what is open could not be told: ${error}`),
    );
    this.#afterMs(remindMs, () => this.remind());
  }

  async #remind(): Promise<void> {
    const { items, next } = await this.#parts.findOpen();
    if (items.length > 0) this.#tellCount("questions.open", items.length, next !== null);
  }

  tell(asked: Asked): void {
    if (this.#closing.signal.aborted) return;
    if (this.#toldCount === 0) this.#afterMs(minuteMs, () => this.#sumUp());
    this.#toldCount += 1;
    if (this.#toldCount > toldPerMinuteMax) {
      this.#untoldCount += 1;
      return;
    }
    void this.#tellOf(asked).catch((error: unknown) =>
      this.#parts.complain(`${asked.workflow}: ${asked.attentionId} could not be told: ${error}`),
    );
  }

  async #tellOf(asked: Asked): Promise<void> {
    const { workflow, attentionId } = asked;
    const question = await this.#parts.find(asked);
    if (question === null || question.closedAt !== null) return;
    const command = `holdfast attention show ${workflow} ${attentionId}`;
    this.#parts.say(`${workflow}: ${question.note} (needs you: ${command})`, {
      workflow,
      attentionId,
    });
    this.#spread({
      event: "question.opened",
      data: { ...told(question), command, ...this.#link(asked) },
    });
  }

  /** What was not taken by then is not told any more. */
  close(): void {
    this.#closing.abort();
    for (const cancel of this.#waits) cancel();
  }

  #sumUp(): void {
    const count = this.#untoldCount;
    this.#toldCount = 0;
    this.#untoldCount = 0;
    if (count > 0) this.#tellCount("questions.opened", count, false);
  }

  #tellCount(event: News["event"], count: number, isMore: boolean): void {
    const when = event === "questions.open" ? "are open" : "were asked in the last minute as well";
    this.#parts.say(`${count}${isMore ? "+" : ""} questions ${when}: holdfast attention`);
    const link = `${this.#parts.url}/api/v1/attention`;
    const page = `${this.#parts.url}/page/needs-you`;
    this.#spread({ event, data: { count, isMore, command: "holdfast attention", link, page } });
  }

  #link({ workflow, attentionId }: Asked) {
    const { url } = this.#parts;
    const named = encodeURIComponent(workflow);
    return {
      /** For programs, and for people. */
      link: `${url}/api/v1/workflows/${named}/attention/${attentionId}`,
      page: `${url}/page/needs-you/${named}/${attentionId}`,
    };
  }

  #spread(news: News): void {
    const key = randomUUID();
    for (const sink of this.#parts.sinks) void this.#push(sink, { news, key, times: 0 });
  }

  async #push(
    sink: Sink,
    { news, key, times }: { readonly news: News; readonly key: string; readonly times: number },
  ): Promise<void> {
    const { signal } = this.#closing;
    const { account, paramsOf } = sink;
    try {
      const send = account.operations["send"];
      if (send === undefined) throw new Error(`${account.connector} cannot send`);
      const { timeoutMs } = send;
      await send.admit(paramsOf(news)).execute({ key, timeoutMs, signal, go: () => {} });
    } catch (error) {
      const waitMs = againAfterMs[times];
      const said = error instanceof Error ? error.message : String(error);
      const more = waitMs === undefined ? "and is not told again" : `and is told in ${waitMs} ms`;
      this.#parts.complain(`${account.account} did not take a notification ${more}: ${said}`);
      if (waitMs === undefined || signal.aborted) return;
      this.#afterMs(waitMs, () => void this.#push(sink, { news, key, times: times + 1 }));
    }
  }

  #afterMs(waitMs: number, then: () => void): void {
    const cancel = this.#parts.timers.setTimer(waitMs, () => {
      this.#waits.delete(cancel);
      then();
    });
    this.#waits.add(cancel);
  }
}

/** Enough to know whether to get up. The params stay where one has to log in. */
function told(question: AttentionItem) {
  const { workflow, attentionId, kind, note, why, answers, openedAt, waiting } = question;
  const inputs = question.inputs.map(({ title }) => title);
  const call = question.call && {
    operation: question.call.operation,
    target: question.call.target,
  };
  return { workflow, attentionId, kind, note, why, answers, openedAt, waiting, inputs, call };
}
