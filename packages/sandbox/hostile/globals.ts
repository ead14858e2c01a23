import { type HostileScript, hostile } from "./hostile-script.ts";

/** Memory, time and chance that would tell one run of another. */
export const globals: readonly HostileScript[] = hostile([
  {
    tries: "to keep something in a variable for the next run",
    expect: "returned 1",
    top: "let count = 0;",
    body: "count += 1; return count;",
  },
  {
    tries: "to write a global",
    expect: "SCRIPT_THREW",
    body: "globalThis.kept = 1;",
  },
  {
    tries: "to write a global that is not declared, in code that is not strict",
    expect: 'returned "undefined"',
    whole: `({ consumers: { c: { prepare() { kept = 1; return typeof globalThis.kept; } } } })`,
  },
  {
    tries: "to change a global of the script",
    expect: "SCRIPT_THREW",
    body: "made = null;",
  },
  {
    tries: "to thaw the globals",
    expect: "returned [false,false,false]",
    body: `return [Reflect.set(globalThis, "Keep", 1), Reflect.deleteProperty(globalThis, "Math"),
      Reflect.defineProperty(globalThis, "kept", { value: 1 })];`,
  },
  {
    // The engine lets a frozen global be defined again; the next run has none of it.
    tries: "to define a frozen global again, for the next run to find",
    expect: 'returned ["function",true]',
    body: "return [typeof Map, Reflect.defineProperty(globalThis, 'Map', { value: 1 })];",
  },
  {
    tries: "to keep something on a prototype for the next run",
    expect: 'returned "undefined"',
    body: `const had = typeof Object.prototype.kept; Object.prototype.kept = 1;
    Math.kept = Keep; Array.kept = ctx; return had;`,
  },
  {
    tries: "to change Keep",
    expect: "SCRIPT_THREW",
    body: "Keep.workflow = () => 1;",
  },
  {
    tries: "to replace Math.random and use the first one",
    expect: "returned true",
    top: "const first = Math.random; Math.random = () => 4;",
    body: "const n = first(); return n >= 0 && n < 1 && Math.random() === 4;",
  },
  {
    tries: "dates far out",
    expect: 'returned [0,0,null,"Invalid Date",1234]',
    body: `return [new Date(8.64e15).getHours(), new Date(-8.64e15).getTimezoneOffset(),
      new Date(8.64e15 + 1).toJSON(), String(new Date(Infinity)), Date.now()];`,
  },
  {
    tries: "a clock that goes on while it runs",
    expect: "returned 1",
    body: `const seen = new Set(); for (let n = 0; n < 2000; n++) seen.add(Date.now());
    return seen.size;`,
  },
  {
    tries: "a time zone of the host",
    expect: "returned [0,0]",
    body: `return [0, 6].map((month) => new Date(2024, month, 1).getTimezoneOffset());`,
  },
  {
    tries: "what the last run left on the heap",
    expect: "returned 0",
    body: `let found = 0;
    for (let n = 0; n < 20; n++) {
      const words = new Uint32Array(new ArrayBuffer(65536));
      for (let at = 0; at < words.length; at += 64) if (words[at] !== 0) found += 1;
      words.fill(0xdeadbeef);
    }
    return found;`,
  },
]);
