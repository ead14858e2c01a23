import { testStore } from "../testing/index.ts";
import { openMemoryStore } from "./index.ts";

testStore({
  name: "memory",
  keepsData: false,
  open: async (options) => ({ store: openMemoryStore(options) }),
});
