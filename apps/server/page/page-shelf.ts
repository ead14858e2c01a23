import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { placeOfPage } from "./page-place.ts";

export type PageFile = {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly brotli: Uint8Array<ArrayBuffer>;
  readonly gzip: Uint8Array<ArrayBuffer>;
};

export type PageFiles = {
  /** The same for every address. */
  readonly index: string;
  /** By the name in its address. */
  readonly assets: ReadonlyMap<string, PageFile>;
};

export type PageState =
  | { readonly kind: "built"; readonly files: PageFiles }
  | { readonly kind: "building" }
  | { readonly kind: "broken"; readonly why: string };

export type ShelfParts = {
  readonly complain: (line: string) => void;
  /** Where the page lies once it is built. */
  readonly place: () => string;
  /** A program that builds it there. */
  readonly builder: string;
};

export const realShelf: Pick<ShelfParts, "place" | "builder"> = {
  place: placeOfPage,
  builder: fileURLToPath(new URL("./main.ts", import.meta.url)),
};

/**
 * The page as it is served: whole, and from memory, so no name in a request is ever a path. It is
 * looked for when somebody asks for it, and built beside the host's work if it is not there.
 */
export class PageShelf {
  readonly #parts: ShelfParts;
  #state: PageState | null = null;
  #child: ChildProcess | null = null;

  constructor(parts: ShelfParts) {
    this.#parts = parts;
  }

  async find(): Promise<PageState> {
    if (this.#state !== null) return this.#state;
    const place = this.#parts.place();
    if (existsSync(place)) return this.#keep({ kind: "built", files: await readPage(place) });
    this.#build();
    return this.#keep({ kind: "building" });
  }

  /** Somebody is about to come: if it has to be built, that begins now. */
  expect(): void {
    this.find().catch((error: unknown) => this.#failed(String(error)));
  }

  /** Nothing that is being built keeps the process alive. */
  close(): void {
    this.#child?.kill();
  }

  #keep(state: PageState): PageState {
    this.#state = state;
    return state;
  }

  #build(): void {
    const { PATH = "" } = process.env;
    const child = spawn(process.execPath, [this.#parts.builder], { env: { PATH }, stdio: "pipe" });
    this.#child = child;
    const said: string[] = [];
    child.stderr.setEncoding("utf8").on("data", (text: string) => said.push(text));
    child.stdout.resume();
    child.once("error", (error) => said.push(String(error)));
    child.once("close", (code) => {
      this.#child = null;
      if (code === 0) this.#state = null;
      else this.#failed(said.join("").trim());
    });
  }

  #failed(why: string): void {
    this.#parts.complain(`PAGE_NOT_BUILT: the page could not be built. ${why}`);
    this.#state = { kind: "broken", why };
  }
}

async function readPage(place: string): Promise<PageFiles> {
  const assets = join(place, "assets");
  const names = (await readdir(assets)).filter((name) => !/\.(br|gz)$/.test(name));
  const kept = new Map<string, PageFile>();
  for (const name of names) {
    kept.set(name, {
      bytes: new Uint8Array(await readFile(join(assets, name))),
      brotli: new Uint8Array(await readFile(join(assets, `${name}.br`))),
      gzip: new Uint8Array(await readFile(join(assets, `${name}.gz`))),
    });
  }
  return { index: await readFile(join(place, "index.html"), "utf8"), assets: kept };
}
