/**
 * Only objects without behaviour are data. A class instance, a Date or a boxed number would be
 * written without what makes it one.
 */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Assigning `__proto__` would change the prototype instead of adding an entry. */
export function setOwn<T>(target: Record<string, T>, key: string, value: T): void {
  if (key !== "__proto__") {
    target[key] = value;
    return;
  }
  Object.defineProperty(target, key, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}
