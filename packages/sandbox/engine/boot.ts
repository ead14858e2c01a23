import type { Image } from "./image.ts";
import type { GuestHost, Instance } from "./instance.ts";

/** What never moves in an isolate: made before the first image, kept by all that follow. */
export type Anchors = {
  readonly runtime: number;
  readonly context: number;
  /** Functions of the guest's own part (guest/), by what the host uses them for. */
  readonly adopt: number;
  readonly enter: number;
  readonly settle: number;
};

/** An isolate with the guest's own part and no script. */
export type BootImage = { readonly image: Image; readonly anchors: Anchors };

export type BootOptions = { readonly guestCode: string; readonly stackBytesMax: number };

/** Nobody may ask anything while the guest's own part is loaded; it knows that. */
const silentHost: GuestHost = {
  call: () => undefined,
  poll: () => {},
  now: () => 0,
  heapFull: () => {
    throw new Error("The guest's own part does not fit into the heap.");
  },
};

const mainFile = "holdfast.js";
/** No source text and no line numbers: the image is copied for every phase. */
const stripped = 16;

export function boot(instance: Instance, options: BootOptions): BootImage {
  let anchors: Anchors | undefined;
  instance.enter(silentHost, () => {
    anchors = build(instance, options);
  });
  if (anchors === undefined) throw new Error("The guest's own part ended itself.");
  return { image: instance.takeImage("shared"), anchors };
}

function build(instance: Instance, { guestCode, stackBytesMax }: BootOptions): Anchors {
  const { exports } = instance;
  exports.initialize();
  const runtime = exports.QTS_NewRuntime();
  const context = exports.QTS_NewContext(runtime, 0);
  exports.QTS_RuntimeSetMaxStackSize(runtime, stackBytesMax);
  exports.QTS_RuntimeEnableInterruptHandler(runtime);
  giveHostFunction(instance, context);
  const parts = evaluate(instance, context, { code: guestCode, file: mainFile, flags: stripped });
  const part = (name: string) =>
    instance.withText(name, (address) =>
      exports.QTS_GetProp(context, parts, exports.QTS_NewString(context, address)),
    );
  return { runtime, context, adopt: part("adopt"), enter: part("enter"), settle: part("settle") };
}

/** The guest's own part takes it and removes the global before any script is there. */
function giveHostFunction(instance: Instance, context: number): void {
  const { exports } = instance;
  instance.withText("__host", (name) => {
    const called = exports.QTS_NewFunction(context, name, 2, 0, 1);
    const key = exports.QTS_NewString(context, name);
    exports.QTS_SetProp(context, exports.QTS_GetGlobalObject(context), key, called);
  });
}

type Evaluated = { readonly code: string; readonly file: string; readonly flags?: number };

/** Address of what the code evaluates to. Throws GuestError if it throws. */
export function evaluate(
  instance: Instance,
  context: number,
  { code, file, flags = 0 }: Evaluated,
): number {
  const { exports } = instance;
  const value = instance.withText(code, (at, length) =>
    instance.withText(file, (fileAt) => exports.QTS_Eval(context, at, length, fileAt, 0, flags)),
  );
  const thrown = exports.QTS_ResolveException(context, value);
  if (thrown === 0) return value;
  throw new GuestError(instance.readText(exports.QTS_Dump(context, thrown)));
}

/**
 * Calls a guest function with texts, bytes or values. Null = it returned; else what it threw.
 * What is made for the call goes with it: left behind, each answer to a phase would make its image
 * larger.
 */
export function callGuest(
  instance: Instance,
  context: number,
  called: number,
  given: readonly (string | Uint8Array | number)[],
): string | null {
  const { exports } = instance;
  const values = given.map((each) => {
    if (typeof each === "number") return each;
    if (typeof each !== "string") return newBuffer(instance, context, each);
    return instance.withText(each, (address) => exports.QTS_NewString(context, address));
  });
  const value = instance.withAddresses(values, (list) =>
    exports.QTS_Call(context, called, exports.QTS_GetUndefined(), values.length, list),
  );
  const thrown = exports.QTS_ResolveException(context, value);
  for (const [index, each] of values.entries()) {
    if (typeof given[index] !== "number") exports.QTS_FreeValuePointer(context, each);
  }
  exports.QTS_FreeValuePointer(context, value);
  return thrown === 0 ? null : instance.readText(exports.QTS_Dump(context, thrown));
}

/** The engine owns the memory from now on, and gives it back with the buffer. */
function newBuffer(instance: Instance, context: number, bytes: Uint8Array): number {
  const address = instance.giveBytes(bytes);
  return instance.exports.QTS_NewArrayBuffer(context, address, bytes.length);
}

/** The slow way to an isolate, for comparison: the script anew, in the isolate that is there. */
export function evaluateScript(instance: Instance, { anchors }: BootImage, code: string): void {
  instance.enter(silentHost, () => {
    const exported = evaluate(instance, anchors.context, { code, file: "script.js" });
    callGuest(instance, anchors.context, anchors.adopt, [exported]);
  });
}

/** Thrown by code that was evaluated; the text is what the engine says of it. */
export class GuestError extends Error {
  override readonly name = "GuestError";
}
