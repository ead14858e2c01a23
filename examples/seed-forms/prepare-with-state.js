// `prepare(ctx, state)`: the state is what `next` returned last time, undefined at first.
export default Keep.workflow({
  name: "guest-numbers",

  topics: {
    "guest.arrived": {},
  },

  producers: {
    async readDoor(ctx, state) {
      const after = state?.after ?? 0;
      const guests = await ctx.door.arrivals({ after });
      for (const g of guests) {
        await ctx.publish("guest.arrived", { messageId: g.ticket, name: g.name });
      }
      return { after: guests.reduce((latest, g) => Math.max(latest, g.sequence), after) };
    },
  },

  consumers: {
    numberGuests: Keep.consumer({
      subscribe: ["guest.arrived"],

      async prepare(ctx, state) {
        const last = state?.last ?? 0;
        const [event] = await ctx.peek("guest.arrived", { limit: 1 });
        if (!event) return { reservations: [], data: { number: last } };
        return {
          reservations: [{ topic: "guest.arrived", ids: [event.messageId] }],
          data: { number: last + 1, name: event.payload.name },
          ui: { title: `Print badge ${last + 1} for ${event.payload.name}` },
        };
      },

      async mutate(ctx, prepared) {
        await ctx.printer.badge({ number: prepared.data.number, name: prepared.data.name });
      },

      async next(ctx, prepared, mutationResult) {
        ctx.log("badge", prepared.data.number, mutationResult.status);
        if (mutationResult.status !== "applied") return undefined;
        return { last: prepared.data.number };
      },
    }),
  },
});
