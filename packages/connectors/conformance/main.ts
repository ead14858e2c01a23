import { inWords, testConnector } from "@holdfast/connector-kit/conformance";
import { subjects } from "./subjects.ts";

/** `npm run conformance [-- <name>…]`: which label each of our connectors earns. */
const words = process.argv.slice(2);
const named = subjects.filter(({ name }) => words.every((word) => name.includes(word)));
if (named.length === 0) {
  console.error(
    `there is none of that name; there is: ${subjects.map(({ name }) => name).join("; ")}`,
  );
  process.exitCode = 2;
}
for (const subject of named) {
  const report = await testConnector(subject);
  console.log(inWords(report));
  if (report.earned === null) process.exitCode = 1;
}
