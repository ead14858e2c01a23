// A job in which withItem and the connections are globals. Both letters of an item go to the same
// address, so their identity is the same: the subkeys tell them apart, by what is sent.
export default Keep.workflow({
  name: "choir-season",

  topics: {},

  jobs: {
    async welcomeSingers() {
      const singers = await members.list({ joinedSince: "2024-09-01" });
      for (const singer of singers) {
        await withItem(`singer:${singer.id}`, `Singer ${singer.name}`, async (ctx) => {
          if (ctx.item.isDone) return;
          await post.send({ to: singer.address, body: "Welcome to the choir.", subkey: "welcome" });
          await post.send({
            to: singer.address,
            body: "Your key to the hall.",
            subkey: "hall-key",
          });
        });
      }
    },
  },
});
