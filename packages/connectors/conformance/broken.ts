import { randomUUID } from "node:crypto";
import {
  type AdmittedCall,
  type Connected,
  type ConnectedOperation,
  ConnectorError,
  type Reconciled,
} from "@holdfast/connector-kit";
import type { Subject } from "@holdfast/connector-kit/conformance";

type Break = (call: AdmittedCall) => Partial<AdmittedCall>;

/** The same connector, with one thing wrong in every call. */
export function broken(subject: Subject, name: string, breakIt: Break): Subject {
  return {
    ...subject,
    name: `${subject.name}: ${name}`,
    connect: (baseUrl) => breakConnected(subject.connect(baseUrl), breakIt),
  };
}

function breakConnected(connected: Connected, breakIt: Break): Connected {
  const entries = Object.entries(connected.operations).map(([name, operation]) => {
    const admit: ConnectedOperation["admit"] = (params) => {
      const call = operation.admit(params);
      return { ...call, ...breakIt(call) };
    };
    return [name, { ...operation, admit }];
  });
  return { ...connected, operations: Object.fromEntries(entries) };
}

/** As the stand-in answers its first order. */
function firstOrder(key: string) {
  return { status: 201, body: { number: 1, ref: key } };
}

export const alwaysApplied: Break = () => ({
  reconcile: async ({ key }) => ({ says: "applied", result: firstOrder(key) }),
});

export const neverFound: Break = () => ({
  reconcile: async () => ({ says: "not_found", note: "it is not there" }),
});

export const neverSure: Break = () => ({
  reconcile: async () => ({ says: "retry", note: "who knows" }),
});

/** Takes what is no answer for one. */
function misledTo(found: (key: string) => Reconciled): Break {
  return ({ reconcile }) => ({
    reconcile: async (call) => {
      const heard = await reconcile(call);
      return heard.says === "retry" ? found(call.key) : heard;
    },
  });
}

export const errorAsNotFound = misledTo(() => ({ says: "not_found", note: "it is not there" }));
export const errorAsApplied = misledTo((key) => ({ says: "applied", result: firstOrder(key) }));

export const nonsense: Break = () => ({
  reconcile: async () => "maybe" as never,
});

function failingAs(pattern: RegExp): Break {
  return ({ execute }) => ({
    execute: async (call) => {
      try {
        return await execute(call);
      } catch (error) {
        if (error instanceof Error && pattern.test(error.message)) {
          throw new ConnectorError("transient", "no", error.message);
        }
        throw error;
      }
    },
  });
}

export const timeoutAsFailed = failingAs(/no answer within|nobody waits/);
export const serverErrorAsFailed = failingAs(/answered 5\d\d/);
export const resetAsFailed = failingAs(/ECONNRESET|socket hang up|cut off|aborted/);

export const visibleAtOnce: Break = ({ guarantee }) => ({
  guarantee: { ...guarantee, visibilityDelayMs: 0 },
});

export const newKeys: Break = ({ execute }) => ({
  execute: (call) => execute({ ...call, key: randomUUID() }),
});

export const otherResult: Break = ({ reconcile }) => ({
  reconcile: async (call) => {
    const found = await reconcile(call);
    return found.says === "applied" ? { says: "applied", result: { ok: true } } : found;
  },
});

/** Leaves a note at the service, whenever it asks. */
export function mutatingReconcile(leaveNote: () => Promise<unknown>): Break {
  return ({ reconcile }) => ({
    reconcile: async (call) => {
      const found = await reconcile(call);
      await leaveNote();
      return found;
    },
  });
}

export const retrying: Break = ({ execute }) => ({
  execute: (call) =>
    execute(call).catch((error: unknown) => {
      if (call.signal.aborted) throw error;
      return execute(call);
    }),
});

/** As many HTTP libraries do unless they are told not to. */
export const following: Break = ({ execute }) => ({
  execute: (call) =>
    execute(call).catch((error: unknown) => {
      if (error instanceof Error && /answered 3\d\d/.test(error.message)) return execute(call);
      throw error;
    }),
});

export const unasked: Break = ({ execute }) => ({
  execute: (call) => execute({ ...call, go: () => {} }),
});

export const unheeding: Break = ({ execute }) => ({
  execute: (call) => {
    const go = () => {
      try {
        call.go();
      } catch {
        // This is what is wrong with it.
      }
    };
    return execute({ ...call, go });
  },
});

/** Waits for its own time, whoever has given up on it. */
export const patient: Break = ({ execute }) => ({
  execute: (call) => execute({ ...call, signal: new AbortController().signal }),
});

export const hanging: Break = () => ({ execute: () => new Promise(() => {}) });

/** Nothing ever happens there, so that nothing untrue is ever said. */
export const refusing: Break = () => ({
  execute: async () => {
    throw new ConnectorError("logic", "no", "never");
  },
});
