import { isIP } from "node:net";
import { type ApiContext, headerOf } from "./api-env.ts";
import { ApiProblem } from "./problem.ts";

const hostPattern = /^(?:\[([0-9a-f:.]+)\]|([^\s:@/?#[\]\\]+))(?::\d{1,5})?$/i;

/**
 * A page elsewhere can let its own name lead to this machine, and would then be of the same origin
 * as the host. It cannot take an address for its name, nor one that is ours.
 */
export function ownNameGuard(names: readonly string[]): (context: ApiContext) => void {
  const own = new Set(["localhost", ...names.map((name) => name.toLowerCase())]);
  let lastAdmitted: string | null = null;
  return (context) => {
    const given = headerOf(context, "host") ?? "";
    if (given === lastAdmitted) return;
    const [, address6 = "", name = ""] = hostPattern.exec(given.toLowerCase()) ?? [];
    if (isIP(address6) === 0 && isIP(name) === 0 && !own.has(name)) {
      throw new ApiProblem(
        421,
        "HOST_NAME_REFUSED",
        "The request is for a name of somebody else.",
        {
          remedy: "If it is a name of this host, start it with the name in HOLDFAST_NAMES.",
        },
      );
    }
    lastAdmitted = given;
  };
}
