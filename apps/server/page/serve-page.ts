import { Hono } from "hono";
import type { ApiContext, ApiEnv } from "../api/api-env.ts";
import { ApiProblem } from "../api/problem.ts";
import type { PageFile, PageFiles, PageShelf } from "./page-shelf.ts";

export type PageParts = { readonly page: PageShelf };

/** Names with a hash in them never mean anything else. */
const hashed = /-[\w-]{8}\.\w+$/;
const forEver = "public, max-age=31536000, immutable";

const typesByEnding: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
};

/** The page people look at. It holds nothing: whatever it shows, it asks the API for. */
export function servePage({ page }: PageParts): Hono<ApiEnv> {
  const app = new Hono<ApiEnv>();
  app.get("/", (context) => frame(context, page));
  app.get("/page/:place{.+}", (context) => frame(context, page));
  app.get("/assets/:file", async (context) => {
    const name = context.req.param("file");
    const file = (await filesOf(page))?.assets.get(name);
    if (file !== undefined) return answer(context, name, file);
    throw new ApiProblem(404, "REQUEST_INVALID", "The page has no such file.", {
      remedy: "Load the page again: it was built anew.",
    });
  });
  return app;
}

async function filesOf(page: PageShelf): Promise<PageFiles | null> {
  const state = await page.find();
  return state.kind === "built" ? state.files : null;
}

/** Every address is answered with the same file: what it shows stands in the address. */
async function frame(context: ApiContext, page: PageShelf): Promise<Response> {
  const state = await page.find();
  if (state.kind === "building") return context.html(waiting, 503, { "retry-after": "1" });
  if (state.kind === "broken") {
    throw new ApiProblem(500, "PAGE_NOT_BUILT", "The page could not be built.", {
      remedy: "The host's output says why; `npm run build:web` tries again.",
    });
  }
  return context.html(state.files.index);
}

function answer(context: ApiContext, name: string, file: PageFile): Response {
  const accepted = context.req.header("accept-encoding") ?? "";
  const [bytes, encoding] = smallest(file, accepted);
  const ending = name.slice(name.lastIndexOf(".") + 1);
  const headers = {
    "content-type": typesByEnding[ending] ?? "application/octet-stream",
    ...(encoding === null ? {} : { "content-encoding": encoding }),
    vary: "accept-encoding",
    "cache-control": hashed.test(name) ? forEver : "no-cache",
  };
  return context.body(bytes, 200, headers);
}

function smallest({ bytes, brotli, gzip }: PageFile, accepted: string) {
  if (/\bbr\b/.test(accepted)) return [brotli, "br"] as const;
  if (/\bgzip\b/.test(accepted)) return [gzip, "gzip"] as const;
  return [bytes, null] as const;
}

/** It asks again by itself. */
const waiting = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="1">
<title>Holdfast</title>
<link rel="stylesheet" href="/login.css">
</head>
<body>
<main>
<h1>Holdfast</h1>
<p role="status">The page is being built, once, after an update. It opens by itself in some
seconds.</p>
</main>
</body>
</html>
`;
