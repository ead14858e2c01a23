export { type StoreUnderTest, storeCases, testStore } from "./store.testsuite.ts";
export {
  type OpenedStore,
  type OpenOptions,
  type OpenStore,
  runCase,
  type StoreCase,
} from "./store-case.ts";
