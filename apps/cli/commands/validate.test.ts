import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { cli, runProgram } from "../testing/run-program.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-validate-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const example = fileURLToPath(new URL("../../../examples/booking/booking.ts", import.meta.url));

const runCli = (...args: readonly string[]) => runProgram(cli, {}, ...args);

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const faulty = `import { workflow } from "@holdfast/sdk";
export default workflow({
  name: "faulty",
  topics: { orders: {} },
  consumers: { book: { subscribe: ["order"], prepare: async () => null } },
});
`;

test("[R8] a good script is said to be deployable, with exit code 0", async () => {
  const { status, stdout } = await runCli("validate", example);
  expect(stdout).toBe(`${example} can be deployed.\n`);
  expect(status).toBe(0);
});

test("[R8] a faulty one is shown with code, place, cause and hint, and exit code 1", async () => {
  const path = write("faulty.ts", faulty);
  const { status, stdout } = await runCli("validate", path);
  expect(stdout).toContain("faulty.ts:5:36  error  undeclared_topic\n");
  expect(stdout).toContain("See docs/authoring.md#undeclared_topic");
  expect(stdout).toContain(`${path} cannot be deployed: `);
  expect(status).toBe(1);
});

test("programs get one line of JSON, with the manifest of what is sound", async () => {
  const bad = JSON.parse((await runCli("validate", "--json", write("faulty.ts", faulty))).stdout);
  const place = { code: "undeclared_topic", line: 5, column: 36 };
  expect(bad.problems).toContainEqual(expect.objectContaining(place));
  const { manifest, problems } = JSON.parse((await runCli("validate", "--json", example)).stdout);
  expect(problems).toEqual([]);
  expect(manifest).toMatchObject({ name: "orders" });
});

test("files that it imports are taken from its folder", async () => {
  write("helper.ts", 'export const name: string = "from a helper";\n');
  const text = faulty.replace('"faulty"', "name").replace('["order"]', '["orders"]');
  const path = write("main.ts", `import { name } from "./helper.ts";\n${text}`);
  const { manifest } = JSON.parse((await runCli("validate", "--json", path)).stdout);
  expect(manifest).toMatchObject({ name: "from a helper" });
});

test("a file that is not there is a mistake in the command line", async () => {
  const { status, stderr } = await runCli("validate", join(folder, "nowhere.ts"));
  expect(stderr).toContain("nowhere.ts cannot be read");
  expect(status).toBe(2);
});

test("a link that leaves the folder is not followed", async () => {
  symlinkSync(example, join(folder, "helper.ts"));
  const path = write("main.ts", `import "./helper.ts";\n${faulty}`);
  const { status, stdout } = await runCli("validate", path);
  expect(stdout).toContain("main.ts:1:8  error  import_not_found\n");
  expect(status).toBe(1);
});

test("a file of another kind is named where it is imported", async () => {
  write("data.json", "{}");
  const path = write("main.ts", `import data from "./data.json";\n${faulty}`);
  const { stdout } = await runCli("validate", path);
  expect(stdout).toContain("main.ts:1:18  error  import_not_found\n");
  expect(stdout).toContain("Only .ts and .js files can be imported.");
});

test("a pipe, a huge file and bytes that are no text are refused at once", async () => {
  const pipe = join(folder, "pipe.ts");
  execFileSync("sh", ["-c", 'mkfifo "$0"', pipe]);
  const huge = write("huge.ts", "");
  truncateSync(huge, 3 * 1024 ** 3);
  const bytes = join(folder, "bytes.ts");
  writeFileSync(bytes, Buffer.from([0x2f, 0x2f, 0xff, 0xfe]));
  const importing = write("main.ts", `import "./pipe.ts";\n${faulty}`);
  const refusals = [
    [pipe, "pipe.ts cannot be read (not a file)"],
    [importing, "pipe.ts cannot be read (not a file)"],
    [huge, "huge.ts is too large for a script"],
    [bytes, "bytes.ts is not text in UTF-8"],
  ] as const;
  for (const [path, refusal] of refusals) {
    const { status, stderr } = await runCli("validate", path);
    expect(stderr).toContain(refusal);
    expect(status).toBe(2);
  }
});
