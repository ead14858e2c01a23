import { isReservedMember } from "../reading/context-members.ts";
import { type Check, problemIn } from "./check-context.ts";

/** Connections are objects, so calling one is a slip for something that ctx does not have. */
export const unknownContextMember: Check = ({ handlers }) =>
  handlers.flatMap(({ uses }) =>
    uses.all.flatMap((use) => {
      if (use.operation !== null || use.call === null || isReservedMember(use.member)) return [];
      if (use.start.type === "Identifier" && use.start === use.name) return [];
      const cause = `ctx has no function "${use.member}".`;
      return [problemIn(use.file, use.name, "unknown_ctx_member", cause)];
    }),
  );
