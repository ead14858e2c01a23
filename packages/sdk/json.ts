/** What may cross between a script and the host: plain JSON, nothing else. */
export type Json = JsonPrimitive | readonly Json[] | JsonObject;
export type JsonPrimitive = string | number | boolean | null;
export type JsonObject = { readonly [key: string]: Json | undefined };

type NotJson =
  | bigint
  | symbol
  | Date
  | RegExp
  | Promise<unknown>
  | ReadonlyMap<unknown, unknown>
  | ReadonlySet<unknown>
  | ArrayBufferView
  | ((...args: never) => unknown);

/**
 * `T` where it is plain JSON, and `never` in each place where it is not, so that the compiler
 * points at the very field. A field may be undefined (it is then left out); a list entry may not,
 * since JSON would turn it into null. What is unknown is left to the host to judge.
 */
export type Plain<T> = [T] extends [Json | undefined]
  ? T
  : unknown extends T
    ? T
    : T extends NotJson
      ? never
      : T extends readonly (infer Item)[]
        ? undefined extends Item
          ? never
          : { readonly [At in keyof T]: Plain<T[At]> }
        : { readonly [Key in keyof T]: Plain<T[Key]> };

/** Handlers may be async or not; the host waits for either. */
export type Awaitable<T> = T | Promise<T>;

/** The same for a handler that may return nothing. */
export type AwaitableMaybe<T> = Awaitable<T | undefined> | Awaitable<void>;

/** Hides a type parameter from inference at this place, and is the parameter itself once known. */
export type Fixed<T> = [T][T extends unknown ? 0 : never];

/** One flat object type, so that editors show fields and not how they were computed. */
export type Flat<T> = { [Key in keyof T]: T[Key] };
