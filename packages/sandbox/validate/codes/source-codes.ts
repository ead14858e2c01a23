import { error } from "./code-entry.ts";

/** What stops a script before any of it has run. */
export const sourceCodes = {
  source_invalid: error(
    "The files that were handed in are not a script: no entry, a strange path, or not text.",
    "Hand in the entry and its files as text under plain relative paths that end in .ts or .js.",
    { bad: `{ entry: "../orders.ts", files: {} }`, good: `{ entry: "orders.ts", files: { … } }` },
  ),
  source_too_large: error(
    "The script has more bytes or more files than a script may have.",
    "Take data out of the script: read it through a connection, or shorten the texts.",
    { bad: "const cities = [ /* 1 MB of names */ ];", good: "await ctx.cities.list()" },
  ),
  source_too_deep: error(
    "The syntax is nested so deeply that it cannot be read.",
    "Flatten the nesting, or give inner parts names of their own.",
    { bad: "((((((((((…1))))))))))", good: "const inner = 1;" },
  ),
  syntax_error: error(
    "The text is not valid TypeScript or JavaScript.",
    "Correct the syntax at this place.",
    { bad: "export default workflow({", good: "export default workflow({ … });" },
  ),
  import_not_allowed: error(
    "Something other than @holdfast/sdk or a file of the script is imported.",
    "Remove the import; what the outside offers is reached through ctx.",
    { bad: `import fs from "node:fs";`, good: `import { total } from "./total.ts";` },
  ),
  import_not_found: error(
    "A local import names a file that the script does not have.",
    "Add the file, or correct the path; it is relative to the file that imports.",
    { bad: `import { total } from "./totl.ts";`, good: `import { total } from "./total.ts";` },
  ),
  unknown_sdk_name: error(
    "@holdfast/sdk does not export that name.",
    "Import only what the SDK exports: workflow, producer, consumer, job, machine and builders.",
    {
      bad: `import { pipeline } from "@holdfast/sdk";`,
      good: `import { workflow } from "@holdfast/sdk";`,
    },
  ),
  dynamic_import: error(
    "import() loads code at run time, and there is none to load.",
    "Import local files at the top of the file.",
    { bad: `const m = await import("./m.ts");`, good: `import * as m from "./m.ts";` },
  ),
  require_used: error(
    "require does not exist in a script.",
    "Use import for local files; everything else comes through ctx.",
    { bad: `const fs = require("fs");`, good: `import { total } from "./total.ts";` },
  ),
  import_meta_used: error(
    "import.meta does not exist: a script has no address.",
    "Remove it; pass what is needed through ctx or events.",
    { bad: "const here = import.meta.url;", good: `const name = "orders";` },
  ),
  top_level_await: error(
    "The top level of a script waits for something, but nothing can be reached while it loads.",
    "Move the await into a handler.",
    { bad: "const rate = await load();", good: "async prepare(ctx) { … await ctx.bank.rate() }" },
  ),
  no_default_export: error(
    "The entry does not export a workflow as its default.",
    "End the entry with `export default workflow({ … })`.",
    { bad: "workflow({ … });", good: "export default workflow({ … });" },
  ),
  script_threw: error(
    "The script failed while its top level was run once to read what it declares.",
    "Keep the top level to declarations; it must run without ctx and within its limits.",
    { bad: "const first = list[0].id; // list is empty", good: "const first = list[0]?.id;" },
  ),
} as const;
