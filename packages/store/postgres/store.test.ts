import { testStore } from "../testing/index.ts";
import { openTestStore } from "./testing/open-test-store.ts";

testStore({ name: "postgres", keepsData: true, open: openTestStore });
