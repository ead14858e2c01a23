import { OutsideState } from "./outside-state.ts";

/** Whether this browser is let in, as far as the last answer says. */
export const loginState = new OutsideState<"in" | "out">("in");

export function noteLoggedOut(): void {
  loginState.set("out");
}

/** The login page, in another tab of this browser, says when it has let us in. */
export function watchLogin(onIn: () => void): void {
  const others = new BroadcastChannel("holdfast-login");
  others.addEventListener("message", (event: MessageEvent<unknown>) => {
    if (event.data === "in") onIn();
    else noteLoggedOut();
  });
}
