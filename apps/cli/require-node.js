// Read by whatever Node there is: everything else needs the one that comes with the packages.
const majorMin = 24;

if (Number(process.versions.node.split(".")[0]) < majorMin) {
  console.error(
    `error: this is Node ${process.versions.node}, and Holdfast needs ${majorMin}. Run ` +
      "`npm ci`, then start it with `npm start` or `npx holdfast`: the right Node comes with " +
      "the packages.",
  );
  process.exit(2);
}
