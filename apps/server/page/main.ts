import { buildPage } from "./build-page.ts";

/** `npm run build:web`; a host that has no page runs it beside its work. */
await buildPage((line) => console.log(line));
