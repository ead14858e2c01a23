import { channel } from "node:diagnostics_channel";
import type { HostedMachines, HostedScript, Store } from "@holdfast/core";
import type { OutsideWorld, ScriptLibrary } from "@holdfast/host";

/**
 * Every place where the host waits for something outside itself: the store, a script, a service.
 * Whoever subscribes to the channel before the start sees each of them, before and after, in order;
 * a process that can be killed at every one of them has been killed everywhere. Without a
 * subscriber nothing is wrapped.
 */
const boundaryChannel = "holdfast:boundary";

const boundaries = channel(boundaryChannel);

type Method = (...given: never[]) => unknown;

/** Says it before the call and, where it waits, after the answer. */
function told<F extends Method>(name: string, call: F): F {
  const wrapped = (...given: Parameters<F>): unknown => {
    boundaries.publish(`before ${name}`);
    const answer = call(...given);
    if (!(answer instanceof Promise)) return answer;
    return answer.finally(() => boundaries.publish(`after ${name}`));
  };
  return wrapped as F;
}

export function watchedStore(store: Store): Store {
  if (!boundaries.hasSubscribers) return store;
  return new Proxy(store, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== "function" || key === "watch" || key === "scan") {
        return typeof value === "function" ? value.bind(target) : value;
      }
      return told(`store.${String(key)}`, (value as Method).bind(target));
    },
  });
}

export function watchedScripts(scripts: ScriptLibrary): ScriptLibrary {
  if (!boundaries.hasSubscribers) return scripts;
  return {
    load: told("script.load", async (workflow, hash) => {
      const hosted = await scripts.load(workflow, hash);
      return watchedScript(hosted);
    }),
    letGo: (workflow) => scripts.letGo?.(workflow),
  };
}

function watchedMachines(machines: HostedMachines): HostedMachines {
  const { run, migrate } = machines;
  return { ...machines, run: told("steps", run), migrate: told("migrations", migrate) };
}

function watchedScript(hosted: HostedScript): HostedScript {
  const { machines } = hosted;
  return {
    ...hosted,
    ...(machines === undefined ? {} : { machines: watchedMachines(machines) }),
    run: (call, options) => {
      const perform = told(`${call.phase} call`, options.perform);
      return told(call.phase, hosted.run)(call, { ...options, perform });
    },
    runConsumer: (calls, options) => {
      const perform = told("prepare call", options.perform);
      return told("prepare and mutate", hosted.runConsumer)(calls, { ...options, perform });
    },
  };
}

export function watchedOutside(outside: OutsideWorld): OutsideWorld {
  if (!boundaries.hasSubscribers) return outside;
  return {
    ...outside,
    read: told("outside.read", (call, signal, onFrame) => outside.read(call, signal, onFrame)),
    describe: told("outside.describe", (call) => outside.describe(call)),
    send: told("outside.send", (call, mayGo, signal, onFrame) =>
      outside.send(call, told("last check", mayGo), signal, onFrame),
    ),
    reconcile: told("outside.reconcile", (call, signal) => outside.reconcile(call, signal)),
  };
}
