import { type Check, problemIn, useName } from "./check-context.ts";

/** R38, C1: nothing is looked up in `mutate`, single things excepted where the consumer says so. */
export const readInMutate: Check = ({ handlers, natures, manifest }) =>
  handlers
    .filter(({ phase }) => phase === "mutate")
    .flatMap(({ name, uses }) => {
      const consumer = manifest.consumers.find((each) => each.name === name);
      const singleAllowed = consumer?.mutateReads === "byId";
      return uses.all.flatMap((use) => {
        const kind = use.call ? natures.of(use)?.kind : undefined;
        if (kind === "read:list") {
          const cause = `${useName(use)} searches, which \`mutate\` may never do.`;
          return [problemIn(use.file, use.start, "read_in_mutate", cause)];
        }
        if ((kind !== "read:byId" && kind !== "read:byKey") || singleAllowed) return [];
        const cause = `${useName(use)} reads, and this consumer does not allow that in \`mutate\`.`;
        return [problemIn(use.file, use.start, "read_in_mutate", cause)];
      });
    });
