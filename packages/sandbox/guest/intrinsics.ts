/**
 * What the guest's own part uses, taken before any script is there. A script may then change
 * every prototype without changing what happens here.
 */
export const { parse: parseJson, stringify: stringifyJson } = JSON;
export const { apply, ownKeys, getOwnPropertyDescriptor, getPrototypeOf, defineProperty } = Reflect;
export const { freeze } = Object;
const { hasOwn, create: createObject, setPrototypeOf } = Object;
export const { isArray } = Array;
export const { isFinite: isFiniteNumber } = Number;
export const arrayPrototype = Array.prototype;
export const objectPrototype = Object.prototype;
export const datePrototype = Date.prototype;
export const OwnProxy = Proxy;
export const OwnPromise = Promise;
export const OwnError = Error;
export const text = String;
export const toBigInt = BigInt;
export const mapPrototype = Map.prototype;
export const bytesPrototype = Uint8Array.prototype;

/** As text.isWellFormed(), whatever became of that. */
const isWellFormedMethod = String.prototype.isWellFormed;
export function isWellFormed(given: string): boolean {
  return apply(isWellFormedMethod, given, []);
}

const toWellFormedMethod = String.prototype.toWellFormed;
export function toWellFormed(given: string): string {
  return apply(toWellFormedMethod, given, []);
}

const sliceMethod = String.prototype.slice;
export function cut(given: string, length: number): string {
  return apply(sliceMethod, given, [0, length]);
}

/**
 * One text of several. Never a template: the engine makes those by String.prototype.concat, which
 * a script can have changed.
 */
export function glue(...parts: readonly string[]): string {
  let whole = "";
  for (let index = 0; index < parts.length; index++) whole += parts[index];
  return whole;
}

/** An object that inherits nothing, so that nobody can have put anything into it. */
export function bare<T>(): Record<string, T> {
  return createObject(null);
}

/** A list that inherits nothing: no toJSON, no setters. It is read and written by index alone. */
export function bareList<T>(): T[] {
  return setPrototypeOf([], null);
}

/** A member that the object has itself; JSON is read like this, whatever its prototype has. */
export function ownMember(given: object, name: string): unknown {
  return hasOwn(given, name) ? (given as Record<string, unknown>)[name] : undefined;
}

/** As target[name] = value, whatever setters its prototype has. */
export function define(target: object, name: string, value: unknown): void {
  const attributes = bare<unknown>();
  attributes["value"] = value;
  attributes["writable"] = true;
  attributes["enumerable"] = true;
  attributes["configurable"] = true;
  defineProperty(target, name, attributes);
}

/** As Promise.resolve(value), whatever became of that. */
export function resolved<T>(value: T): Promise<T> {
  return new OwnPromise((resolve) => resolve(value));
}

const OwnMap = Map;
const OwnBytes = Uint8Array;
const { set: setMethod, forEach: forEachMethod } = Map.prototype;
const lengthGetter = getOwnPropertyDescriptor(getPrototypeOf(bytesPrototype) as object, "length")
  ?.get as () => number;

export function newMap(): Map<unknown, unknown> {
  return new OwnMap();
}

export function setInMap(map: Map<unknown, unknown>, key: unknown, value: unknown): void {
  apply(setMethod, map, [key, value]);
}

/** Throws for what only looks like a map. */
export function forEachOfMap(
  map: Map<unknown, unknown>,
  each: (value: unknown, key: unknown) => void,
): void {
  apply(forEachMethod, map, [each]);
}

/** Of a list that inherits nothing from now on: it has no iterator that somebody could change. */
export function bytesOf(list: readonly number[]): Uint8Array {
  return new OwnBytes(setPrototypeOf(list, null));
}

/** All of a buffer that nobody else has. */
export function bytesIn(buffer: ArrayBuffer): Uint8Array {
  return new OwnBytes(buffer);
}

/** Throws for what only looks like bytes. */
export function bytesLength(bytes: Uint8Array): number {
  return apply(lengthGetter, bytes, []);
}

/** One UTF-16 unit. */
export function cutAt(given: string, index: number): string {
  return apply(sliceMethod, given, [index, index + 1]);
}
