import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PageShelf } from "./page-shelf.ts";

/** A shelf whose page is built by this program. */
function shelfOf(program: string) {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-page-"));
  const [place, builder] = [join(folder, "page"), join(folder, "builder.mjs")];
  writeFileSync(builder, program.replaceAll("PLACE", JSON.stringify(place)));
  const complaints: string[] = [];
  const complain = (line: string) => complaints.push(line);
  const shelf = new PageShelf({ complain, place: () => place, builder });
  return { shelf, complaints };
}

test("a page that is not there is built once, beside the work, and then served whole", async () => {
  const { shelf, complaints } = shelfOf(`
    import { mkdirSync, writeFileSync } from "node:fs";
    mkdirSync(PLACE + "/assets", { recursive: true });
    writeFileSync(PLACE + "/index.html", "<p>");
    for (const end of ["", ".br", ".gz"]) writeFileSync(PLACE + "/assets/a.js" + end, "a" + end);`);
  const states = await Promise.all([shelf.find(), shelf.find()]);
  expect(states.map(({ kind }) => kind)).toEqual(["building", "building"]);
  await expect.poll(async () => (await shelf.find()).kind, { timeout: 10_000 }).toBe("built");
  const built = await shelf.find();
  if (built.kind !== "built") throw new Error("it was built a moment ago");
  expect(built.files.index).toBe("<p>");
  expect([...built.files.assets.keys()]).toEqual(["a.js"]);
  expect(complaints).toEqual([]);
});

test("a page that cannot be built is said to be so, with why, and tried once", async () => {
  const { shelf, complaints } = shelfOf(`console.error("no room on the disk"); process.exit(1);`);
  await shelf.find();
  await expect.poll(async () => (await shelf.find()).kind, { timeout: 10_000 }).toBe("broken");
  expect(await shelf.find()).toEqual({ kind: "broken", why: "no room on the disk" });
  expect(complaints).toEqual([expect.stringMatching(/^PAGE_NOT_BUILT: .* no room on the disk$/)]);
});
