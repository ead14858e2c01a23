/**
 * The globals of a script that imports nothing, for authors who want them typed. Opt in with
 * `/// <reference path="<where the SDK is>/globals.d.ts" />`. Connections are globals of job
 * scripts too, but their names are the script's own:
 * `declare const mail: import("@holdfast/sdk").JobConnection<MailOperations>;`
 */
declare const Keep: typeof import("./index.ts");

/** In jobs only. */
declare const withItem: import("./index.ts").WithItem<
  import("./index.ts").Topics,
  import("./index.ts").Connections
>;
