/** The second one is asked for after the blow: work has to go on. */
export const [order, orderAfter] = ["o-1", "o-2"] as const;
