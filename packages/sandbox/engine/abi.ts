import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

/**
 * The engine is one exact file: QuickJS compiled to WebAssembly. Its imports and exports have no
 * names but the letters a compiler gave them, so that they are known for this file alone; any
 * other is refused. `abi.test.ts` compares the exports with the glue code the package ships.
 */
const engineHash = "105c3bed22d457e43e3d1c3c1c6959fda62a8fe06f0fc8a985303c3a2be72232";

const engineFile = "@jitl/quickjs-wasmfile-release-sync/wasm";

/** Letters of the exports that are used. All take and give numbers. */
export const exportLetters = {
  initialize: "u",
  malloc: "v",
  free: "M",
  QTS_RuntimeSetMaxStackSize: "D",
  QTS_NewRuntime: "K",
  QTS_NewContext: "N",
  QTS_NewString: "_",
  QTS_NewArrayBuffer: "X",
  QTS_GetString: "$",
  QTS_FreeCString: "S",
  QTS_FreeValuePointer: "P",
  QTS_ExecutePendingJob: "ga",
  QTS_IsJobPending: "fa",
  QTS_GetProp: "ha",
  QTS_SetProp: "ja",
  QTS_Call: "ma",
  QTS_ResolveException: "na",
  QTS_Dump: "oa",
  QTS_Eval: "pa",
  QTS_GetGlobalObject: "ua",
  QTS_NewFunction: "Da",
  QTS_ArgvGetJSValueConstPointer: "Ea",
  QTS_RuntimeEnableInterruptHandler: "Fa",
  QTS_GetUndefined: "E",
  stackRestore: "Ma",
  stackSave: "Oa",
} as const;

export type EngineExports = {
  readonly [Name in keyof typeof exportLetters]: (...given: readonly number[]) => number;
};

/** Letters of the imports that mean something here; all others do nothing. */
export const importLetters = {
  memory: "a",
  assertionFailed: "b",
  countEnvironment: "f",
  resizeHeap: "k",
  localTime: "m",
  localZone: "n",
  now: "p",
  abort: "q",
  exit: "r",
  callFunction: "s",
  shouldInterrupt: "i",
} as const;

export function loadEngine(): WebAssembly.Module {
  const bytes = readFileSync(createRequire(import.meta.url).resolve(engineFile));
  const hash = createHash("sha256").update(bytes).digest("hex");
  if (hash !== engineHash) {
    throw new Error(
      `The JavaScript engine ${engineFile} is another file (${hash}) than was tried.`,
    );
  }
  return new WebAssembly.Module(bytes);
}

export function nameExports(instance: WebAssembly.Instance): EngineExports {
  const named = Object.entries(exportLetters).map(([name, letter]) => [
    name,
    instance.exports[letter],
  ]);
  return Object.fromEntries(named) as EngineExports;
}
