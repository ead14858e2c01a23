/** For measuring the parts one by one; everybody else uses Sandbox. */
export { bundleGuest, guestCode } from "../run/guest-code.ts";
export { SliceServer } from "../worker/serve.ts";
export { loadEngine } from "./abi.ts";
export { boot, evaluateScript } from "./boot.ts";
export { Instance } from "./instance.ts";
