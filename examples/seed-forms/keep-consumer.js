// Keep.workflow and Keep.consumer with all three phases; two topics, one fed by `next` of the
// other's consumer.
export default Keep.workflow({
  name: "plant-care",

  topics: {
    "plant.dry": {},
    "plant.watered": {},
  },

  producers: {
    async lookAround(ctx) {
      const plants = await ctx.garden.listPlants({ drierThan: 20 });
      for (const p of plants) {
        await ctx.publish("plant.dry", {
          messageId: `${p.id}:${p.measuredOn}`,
          title: `${p.name} is dry`,
          plantId: p.id,
          name: p.name,
        });
      }
    },
  },

  consumers: {
    water: Keep.consumer({
      subscribe: ["plant.dry"],
      publishes: ["plant.watered"],

      async prepare(ctx) {
        const [event] = await ctx.peek("plant.dry", { limit: 1 });
        if (!event) return { reservations: [], data: {} };
        const plant = await ctx.garden.getPlant({ id: event.payload.plantId });
        return {
          reservations: [{ topic: "plant.dry", ids: [event.messageId] }],
          data: { plantId: plant.id, liters: plant.liters, messageId: event.messageId },
          ui: { title: `Water ${event.payload.name}` },
        };
      },

      async mutate(ctx, prepared) {
        await ctx.garden.openValve({
          plantId: prepared.data.plantId,
          liters: prepared.data.liters,
        });
      },

      async next(ctx, prepared, mutationResult) {
        if (mutationResult.status === "applied") {
          await ctx.publish("plant.watered", {
            messageId: prepared.data.messageId,
            payload: {
              plantId: prepared.data.plantId,
              liters: mutationResult.result.liters,
            },
          });
        }
      },
    }),

    report: Keep.consumer({
      subscribe: ["plant.watered"],

      async prepare(ctx) {
        const events = await ctx.peek("plant.watered", { limit: 10 });
        if (events.length < 10) return { reservations: [], data: {} };
        return {
          reservations: [{ topic: "plant.watered", ids: events.map((e) => e.messageId) }],
          data: { plantIds: events.map((e) => e.payload.plantId) },
          ui: { title: `Tell the gardeners about ${events.length} watered plants` },
        };
      },

      async mutate(ctx, prepared) {
        await ctx.chat.post({
          channel: "#garden",
          text: `Watered: ${prepared.data.plantIds.join(", ")}`,
        });
      },
    }),
  },
});
