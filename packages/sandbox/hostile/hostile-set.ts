import { abortTable } from "./abort-tricks.ts";
import { bombs } from "./bombs.ts";
import { context } from "./context.ts";
import { escapes } from "./escapes.ts";
import { globals } from "./globals.ts";
import { goingOn } from "./going-on.ts";
import type { HostileScript } from "./hostile-script.ts";
import { items } from "./items.ts";
import { loading } from "./loading.ts";
import { promises } from "./promises.ts";
import { prototypes } from "./prototypes.ts";
import { thrownThings } from "./thrown.ts";
import { values } from "./values.ts";

/** All of them, by the idea behind them. */
export const hostileSet: Readonly<Record<string, readonly HostileScript[]>> = {
  abort: abortTable,
  "going on": goingOn,
  escapes,
  prototypes,
  values,
  thrown: thrownThings,
  bombs,
  promises,
  context,
  loading,
  globals,
  items,
};
