// The mutation is the last act of `mutate`, on each of its paths: one of two calls, or none.
export default Keep.workflow({
  name: "library-desk",

  topics: {
    "book.returned": {},
  },

  producers: {
    async readBox(ctx) {
      const returns = await ctx.library.returnedBooks({ box: "front" });
      for (const r of returns) {
        await ctx.publish("book.returned", {
          messageId: r.loanId,
          bookId: r.bookId,
          damaged: r.damaged,
        });
      }
    },
  },

  consumers: {
    handleReturn: Keep.consumer({
      subscribe: ["book.returned"],

      async prepare(ctx) {
        const [event] = await ctx.peek("book.returned", { limit: 1 });
        if (!event) return { reservations: [], data: {} };
        const { bookId, damaged } = event.payload;
        const waiting = await ctx.library.listReservations({ bookId });
        return {
          reservations: [{ topic: "book.returned", ids: [event.messageId] }],
          data: { bookId, damaged, nextReader: waiting[0]?.reader ?? null },
          ui: { title: damaged ? `Send book ${bookId} to repair` : `Put book ${bookId} aside` },
        };
      },

      async mutate(ctx, prepared) {
        const { bookId, damaged, nextReader } = prepared.data;
        if (damaged) {
          await ctx.library.orderRepair({ bookId });
        } else if (nextReader) {
          await ctx.library.putAside({ bookId, reader: nextReader });
        }
      },
    }),
  },
});
