// A producer that is only a function. It names no input, and its event is flat: everything beside
// messageId is the payload.
export default Keep.workflow({
  name: "cellar-watch",

  topics: {
    "reading.taken": {},
  },

  producers: {
    async readSensors(ctx) {
      const readings = await ctx.sensors.recent({ place: "cellar" });
      for (const r of readings) {
        await ctx.publish("reading.taken", {
          messageId: r.id,
          humidity: r.humidity,
          takenAt: r.takenAt,
        });
      }
    },
  },

  consumers: {
    logReading: Keep.consumer({
      subscribe: ["reading.taken"],

      async prepare(ctx) {
        const [event] = await ctx.peek("reading.taken", { limit: 1 });
        if (!event) return { reservations: [], data: {} };
        return {
          reservations: [{ topic: "reading.taken", ids: [event.messageId] }],
          data: { humidity: event.payload.humidity },
          ui: { title: `Note ${event.payload.humidity} % in the cellar book` },
        };
      },

      async mutate(ctx, prepared) {
        await ctx.notebook.append({ book: "cellar", line: `${prepared.data.humidity} %` });
      },
    }),
  },
});
