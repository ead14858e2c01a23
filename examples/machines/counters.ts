/** The same count twice: in one cell for all, and in a cell for each key. No effects. */
import { machine, schema, workflow } from "@holdfast/sdk";

const hit = schema.record({ key: schema.text(), by: schema.nat() });
const topics = { hit: { schema: hit } };

const state = schema.record({ count: schema.nat(), sum: schema.nat() });
type Counted = { readonly count: number; readonly sum: number };

function counted(before: Counted | null, by: number): Counted {
  const { count, sum } = before ?? { count: 0, sum: 0 };
  return { count: count + 1, sum: sum + by };
}

export default workflow<typeof topics>({
  name: "counters",
  topics,
  machines: {
    all: machine({
      state,
      event: schema.ref("hit", hit),
      effects: [],
      subscribe: [{ topic: "hit" }],
      step: (before, { by }) => ({ state: counted(before, by) }),
    }),
    each: machine({
      state,
      event: schema.ref("hit", hit),
      key: schema.text(),
      effects: [],
      subscribe: [{ topic: "hit", key: "key" }],
      step: (before, { by }) => ({ state: counted(before, by) }),
    }),
  },
});
