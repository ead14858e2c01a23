export {
  type ConformanceReport,
  type Fault,
  type FaultCode,
  inWords,
  type Trial,
  type Way,
} from "./report.ts";
export { type ShopOptions, StandInShop } from "./stand-in-shop.ts";
export { type Subject, type TestClock, type TestedService, VirtualClock } from "./subject.ts";
export { testConnector } from "./test-connector.ts";
