import {
  type Action,
  admitCommand,
  applyAdmitted,
  type BudgetVersion,
  type Change,
  type CommitAnswer,
  type CoreCommand,
  type CountedRead,
  chainsOver,
  type Decision,
  Draft,
  decisionOf,
  dueAt,
  type FactKind,
  foldCommand,
  type InboxEntry,
  type Instant,
  invariant,
  type Loaded,
  type Need,
  needsOf,
  needsOfAdmitted,
  type Policy,
  type PolicyOf,
  parseCommand,
  policyDefaults,
  type Refusal,
  type RunTrace,
  runSeqOf,
  type Seq,
  type Store,
  sealRecords,
  tracesToForget,
  View,
} from "@holdfast/core";

/** Not committed: the view is dropped, nothing may be performed. */
type Lost = {
  readonly kind: "lost";
  readonly answer: Exclude<CommitAnswer, { kind: "committed" }>;
};

export type Executed =
  | { readonly kind: "done"; readonly actions: readonly Action[]; readonly note: string }
  | { readonly kind: "refused"; readonly refusal: Refusal }
  | Lost;

/** One that can only be named once those before it are decided. */
export type LateCommand = (after: View) => CoreCommand;

/** What led to a change; asked for its text only when the change is made. */
export type TraceSource = { readonly runId: string; text(): string | null };

type SettledHint = { readonly topic: string; readonly position: Seq };

/** What goes with a change and is no fact. */
type Aside = Partial<Pick<Change, "counted" | "budgets" | "kept">>;

/** Positions of the journal: some dozen runs. */
const settledStep = 500;

/** Judges calls that wait by the grants in force; null = nobody does. */
type JudgedCalls = { asksFourEyes(view: View, mutationId: string): Promise<boolean> };

type OwnerOptions = {
  /** For calls of one operation; absent = as for the workflow. */
  readonly policyOf?: PolicyOf;
  /** Told of each question once it is durable. */
  readonly onQuestion?: (attentionId: string) => void;
  /** Told of each change of the workflow once it is durable. */
  readonly onCommitted?: (facts: readonly FactKind[]) => void;
};

/**
 * The owner's side of one workflow: load what a decision needs, decide, persist once, and only
 * then let the view advance. One commit at a time. After a commit that is not certain the view is
 * gone, and the next call loads afresh.
 */
export class WorkflowOwner {
  readonly workflow: string;
  readonly epoch: number;
  private readonly store: Store;
  readonly policy: Policy;
  private readonly policyOf: PolicyOf;
  private view: View | null = null;
  private loading: Promise<Loaded> | null = null;
  private settledBelow: SettledHint[] = [];
  private readonly toldSettled = new Map<string, Seq>();
  private isCommitting = false;
  /** Commits that wait for the one under way, in the order they came. */
  private readonly waiting: (() => void)[] = [];
  private readCount = 0;
  /** Retry chains for which this owner may have kept something, and where it began. */
  private readonly keptFor = new Set<string>();
  private firstSeq: Seq | null = null;

  private readonly onQuestion: (attentionId: string) => void;
  private readonly onCommitted: (facts: readonly FactKind[]) => void;

  constructor(
    store: Store,
    claim: { workflow: string; epoch: number },
    policy = policyDefaults,
    { policyOf = () => policy, onQuestion = () => {}, onCommitted = () => {} }: OwnerOptions = {},
  ) {
    this.onQuestion = onQuestion;
    this.onCommitted = onCommitted;
    this.store = store;
    this.workflow = claim.workflow;
    this.epoch = claim.epoch;
    this.policy = policy;
    this.policyOf = policyOf;
  }

  /** Decides the commands as one change and makes it durable. */
  async execute(
    commands: readonly (CoreCommand | LateCommand)[],
    now: Instant,
    trace: TraceSource | null = null,
    aside: Aside = {},
  ): Promise<Executed> {
    const view = this.view ?? (await this.loadView());
    const draft = new Draft(view, now);
    for (const each of commands) {
      const command = typeof each === "function" ? each(draft.view) : each;
      // What an earlier command of the change has made is in the draft, and nowhere else.
      const admitted = admitCommand(draft.view.policy, command);
      if ("code" in admitted) return { kind: "refused", refusal: admitted };
      const needs = needsOfAdmitted(draft.view, admitted).filter((need) => !draft.view.has(need));
      const stale = needs.length === 0 ? null : await this.loadNeeds(view, needs);
      if (stale) return stale;
      const refusal = applyAdmitted(draft, admitted);
      if (refusal) return { kind: "refused", refusal };
    }
    return this.persist(view, decisionOf(draft), trace, aside);
  }

  /** Answers the next inbox entries in order, each in a change of its own. */
  async foldInbox(
    now: Instant,
    limit: number,
    calls: JudgedCalls | null = null,
  ): Promise<readonly Executed[]> {
    const entries = await this.store.readInbox(this.workflow, limit);
    const behind = await this.behindOf(entries[0]);
    if (behind !== null) return [behind];
    const answers: Executed[] = [];
    for (const entry of entries) {
      const executed = await this.fold(entry, now, calls);
      answers.push(executed);
      if (executed.kind === "lost") break;
    }
    return answers;
  }

  /** A change whose answer was lost may have landed after the view was loaded. */
  private async behindOf(first: InboxEntry | undefined): Promise<Lost | null> {
    if (first === undefined) return null;
    const view = await this.loadView();
    const through = view.load("workflows").inboxThrough;
    if (first.position === through + 1) return null;
    this.dropView();
    const { seq } = (await this.loadView()).head;
    invariant(seq !== view.head.seq, `inbox entry ${first.position} after ${through}`);
    return { kind: "lost", answer: { kind: "conflict", head: seq } };
  }

  private async fold(
    entry: InboxEntry,
    now: Instant,
    calls: JudgedCalls | null,
  ): Promise<Executed> {
    const view = await this.loadView();
    const command = parseCommand(entry);
    const needs = "code" in command ? [] : needsOf(view, command);
    const stale = await this.loadNeeds(view, needs);
    if (stale) return stale;
    if (calls === null || "code" in command || command.kind !== "approve_mutation") {
      return this.persist(view, foldCommand(view, entry, now));
    }
    const fourEyes = await calls.asksFourEyes(view, command.mutationId);
    return this.persist(view, foldCommand(view, entry, now, { fourEyes }));
  }

  /** A change without records: the owner has looked, and there is nothing to say. */
  acknowledge(view: View): Promise<Executed> {
    return this.keep(view, {});
  }

  /** Durable before the script sees what is kept; again a change without records. */
  async keep(view: View, aside: Aside): Promise<Executed> {
    const answer = await this.commitNothing(view, aside);
    if (answer.kind === "committed") return { kind: "done", actions: [], note: "looked" };
    this.forget(view);
    return { kind: "lost", answer };
  }

  /** Nobody else has counted under it. */
  nextReadId(): string {
    this.readCount += 1;
    return `${this.epoch}.${this.readCount}`;
  }

  /**
   * Durable before the read is made, or `budget_moved`: then nothing was counted. What else is
   * answered says that the view is not what it was.
   */
  async count(
    view: View,
    counted: readonly CountedRead[],
    budgets: readonly BudgetVersion[] = [],
  ): Promise<CommitAnswer["kind"]> {
    const { kind } = await this.commitNothing(view, { counted, budgets });
    if (kind !== "committed" && kind !== "budget_moved") this.forget(view);
    return kind;
  }

  private commitNothing(view: View, aside: Aside): Promise<CommitAnswer> {
    this.noteKept(aside);
    return this.commit(() => ({
      workflow: this.workflow,
      epoch: this.epoch,
      expectedHead: view.head.seq,
      records: [],
      rows: [],
      blobs: [],
      dueAt: dueAt(view, view.head.at),
      settledBelow: [],
      trace: null,
      budgets: [],
      forgetTracesThrough: null,
      ...aside,
    }));
  }

  private noteKept({ kept = [] }: Aside): void {
    for (const { chain } of kept) this.keptFor.add(chain);
  }

  /** Most chains have nothing kept, and none of those this owner knows from their beginning. */
  private mayHaveKept(chain: string): boolean {
    return this.keptFor.has(chain) || runSeqOf(chain) <= (this.firstSeq ?? 0);
  }

  /**
   * One at a time: a job's reads may be counted while one of its calls is recorded. The view takes
   * in what has come of it before the next one looks at the head.
   */
  private async commit(
    change: () => Change,
    onAnswer: (answer: CommitAnswer) => void = () => {},
  ): Promise<CommitAnswer> {
    if (this.isCommitting) await new Promise<void>((resolve) => this.waiting.push(resolve));
    this.isCommitting = true;
    try {
      const [answer] = await this.store.commit([change()]);
      invariant(answer, "a store answers every change");
      onAnswer(answer);
      return answer;
    } finally {
      // Handed over, not let go of: nobody who comes meanwhile goes first.
      const next = this.waiting.shift();
      if (next === undefined) this.isCommitting = false;
      else next();
    }
  }

  /**
   * What peek has shown to be settled rides along with a change; not with every one, since a
   * mark that lags by so much costs a peek less than moving it costs a run.
   */
  noteSettled(hint: SettledHint): void {
    const told = this.toldSettled.get(hint.topic) ?? Number.NEGATIVE_INFINITY;
    // Below what was told: the topic was reset, and the mark with it.
    if (hint.position >= told && hint.position < told + settledStep) return;
    this.toldSettled.set(hint.topic, hint.position);
    this.settledBelow.push(hint);
  }

  /** After a call of the store that threw: nobody knows what it did. */
  dropView(): void {
    this.view = null;
    this.loading = null;
  }

  /** It is not what is there; another one may be in its place already. */
  private forget(view: View): void {
    this.loading = null;
    if (this.view === view) this.view = null;
  }

  /** Whoever asks meanwhile is given the same one: what it becomes, it becomes for all. */
  async loadView(): Promise<View> {
    if (this.view) return this.view;
    this.loading ??= this.store.load(this.workflow, [{ kind: "base" }]);
    const { loading } = this;
    try {
      const loaded = await loading;
      // What was dropped meanwhile may be what this one was loaded before.
      if (this.loading !== loading) return await this.loadView();
      this.view = View.fromLoaded(loaded, this.policy, this.policyOf);
      this.firstSeq ??= this.view.head.seq;
    } finally {
      if (this.loading === loading) this.loading = null;
    }
    return this.view;
  }

  /** Null when all is there; otherwise somebody else has moved the workflow on meanwhile. */
  async loadNeeds(view: View, needs: readonly Need[]): Promise<Lost | null> {
    const missing = distinct(needs.filter((need) => !view.has(need)));
    if (missing.length === 0) return null;
    const loaded = await this.store.load(this.workflow, missing);
    const { head, epoch } = loaded;
    if (epoch === this.epoch && head.seq === view.head.seq) {
      view.add(loaded);
      return null;
    }
    this.forget(view);
    if (epoch !== this.epoch) return { kind: "lost", answer: { kind: "lease_lost" } };
    return { kind: "lost", answer: { kind: "conflict", head: head.seq } };
  }

  private async persist(
    view: View,
    decision: Decision,
    trace: TraceSource | null = null,
    aside: Aside = {},
  ): Promise<Executed> {
    if (!decision.ok) return { kind: "refused", refusal: decision.refusal };
    const { actions, note } = decision;
    if (decision.records.length === 0) return { kind: "done", actions, note };
    const sealed = sealRecords(this.workflow, view.head, decision.records);
    const last = sealed.at(-1);
    invariant(last, "a change has records");
    const settledBelow = this.settledBelow;
    this.settledBelow = [];
    this.noteKept(aside);
    const facts = decision.records.map(({ fact }) => fact);
    const over = chainsOver(decision.after, facts).filter((chain) => this.mayHaveKept(chain));
    const change: Change = {
      workflow: this.workflow,
      epoch: this.epoch,
      expectedHead: view.head.seq,
      records: sealed,
      rows: decision.rows,
      blobs: decision.blobs,
      parts: decision.parts,
      // As of the last record, so that verify can say what it must be.
      dueAt: dueAt(decision.after, decision.after.head.at),
      settledBelow,
      trace: traceAt(last.at, trace),
      budgets: decision.budgets,
      forgetTracesThrough: tracesToForget(this.policy, { before: view.head.seq, after: last.seq }),
      ...aside,
      forgetKept: over,
    };
    const answer = await this.commit(
      () => change,
      ({ kind }) => {
        if (kind !== "committed") return;
        view.become(decision.after, { seq: last.seq, hash: last.hash, at: last.at });
        view.trimToBase();
      },
    );
    if (answer.kind !== "committed") {
      this.forget(view);
      return { kind: "lost", answer };
    }
    for (const chain of over) this.keptFor.delete(chain);
    this.onCommitted(facts.map(({ kind }) => kind));
    for (const each of actions) if (each.kind === "notify") this.onQuestion(each.attentionId);
    return { kind: "done", actions, note };
  }
}

function traceAt(at: Instant, source: TraceSource | null): RunTrace | null {
  const text = source?.text() ?? null;
  return source === null || text === null ? null : { runId: source.runId, at, text };
}

/** A batch of events may name one input a thousand times. */
function distinct(needs: readonly Need[]): Need[] {
  return [...new Map(needs.map((need) => [JSON.stringify(need), need])).values()];
}
