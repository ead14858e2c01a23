import type { ApiContext } from "./api-env.ts";
import { ApiProblem } from "./problem.ts";

const controlCharacter = /%(?:[01][0-9a-f]|7f)/i;

/** No name of anything holds control characters, and not every store could be asked for one. */
export function requireSoundAddress({ req }: ApiContext): void {
  if (!controlCharacter.test(req.url)) return;
  throw new ApiProblem(400, "REQUEST_INVALID", "The address holds control characters.");
}
