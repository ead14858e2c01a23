import fc from "fast-check";

/** `npm run soak` names the seed of each round; without one every run draws its own. */
const seed = process.env["HOLDFAST_FUZZ_SEED"];
if (seed !== undefined) fc.configureGlobal({ seed: Number(seed) });
