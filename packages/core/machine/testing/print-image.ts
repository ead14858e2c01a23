/** A process of its own: lives one history, and prints the hashes of what it left. */
import { contentHash, hashText } from "../../canonical/index.ts";
import { MachineWorld } from "./machine-world.ts";
import { orderStep } from "./order-step.ts";
import { orderSet } from "./sample-set.ts";

const world = new MachineWorld({ declaration: orderSet(), steps: { order: orderStep } });
const words = ["hello", "tell", "hello", "twice"];
for (let at = 0; at < 100; at++) {
  world.send("order.placed", { id: `${at % 70}`, say: words[at % words.length] ?? "" });
}
// Up to here: what is signed later is signed with keys that every process makes anew.
const journal = contentHash([...world.journal]);
for (const intent of world.open().slice(0, 8)) world.settle(intent, "ok", { ref: "r" });
world.send("order.placed", { id: "1", say: "throw" });
const { length: recordCount } = world.journal;
console.log(JSON.stringify({ recordCount, journal, image: hashText(world.snapshot()) }));
