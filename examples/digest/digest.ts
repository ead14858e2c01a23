/** Notes are gathered during the day and sent as one mail in the evening. */
import {
  connection,
  consumer,
  type mutation,
  producer,
  type read,
  schema,
  workflow,
} from "@holdfast/sdk";

interface BoardOperations {
  listNotes: read.list<
    { after: number },
    readonly { id: string; number: number; author: string; text: string }[]
  >;
}

interface MailOperations {
  send: mutation<{ to: string; subject: string; body: string }, { mailId: string }>;
}

const connections = {
  board: connection<BoardOperations>({ connector: "http", account: "board" }),
  mail: connection<MailOperations>({ connector: "smtp", account: "office" }),
};

const topics = {
  "note.added": { schema: schema.record({ author: schema.text(), text: schema.text() }) },
};

const recipient = "team@example.com";
const sendHourUtc = 17;
const notesPerMail = 200;

/** The evening of the day in question, as text that sorts and compares. */
function eveningOf(now: Date): Date {
  return new Date(`${dayOf(now)}T${sendHourUtc}:00:00Z`);
}

function dayOf(now: Date): string {
  return now.toISOString().slice(0, 10);
}

export default workflow<typeof topics, typeof connections>({
  name: "digest",
  connections,
  topics,
  producers: {
    watch: producer({
      publishes: ["note.added"],
      schedule: { interval: "10m" },
      handler: async (ctx, state: { after: number } | undefined) => {
        let after = state?.after ?? 0;
        for (const { id, number, author, text } of await ctx.board.listNotes({ after })) {
          const title = `Note ${id} by ${author}`;
          const inputId = await ctx.registerInput({ source: "board", type: "note", id, title });
          await ctx.publish("note.added", { messageId: id, inputId, author, text });
          after = Math.max(after, number);
        }
        return { after };
      },
    }),
  },
  consumers: {
    send: consumer({
      subscribe: ["note.added"],
      prepare: async (ctx, state: { sentOn: string } | undefined) => {
        const now = new Date();
        const today = dayOf(now);
        const notes = await ctx.peek("note.added", { limit: notesPerMail });
        const isDue = now >= eveningOf(now) && state?.sentOn !== today;
        if (notes.length === 0 || !isDue) {
          // Too early, or sent already: look again this evening, or in some hours.
          const later = new Date(now.getTime() + 6 * 60 * 60 * 1000);
          const wakeAt = now < eveningOf(now) ? eveningOf(now) : later;
          return { reservations: [], data: { mail: null, today }, wakeAt: wakeAt.toISOString() };
        }
        const lines = notes.map(({ payload }) => `${payload.author}: ${payload.text}`);
        return {
          reservations: [{ topic: "note.added", ids: notes.map(({ messageId }) => messageId) }],
          data: {
            mail: { to: recipient, subject: `Notes of ${today}`, body: lines.join("\n") },
            today,
          },
          ui: { title: `Send ${notes.length} notes of ${today} to ${recipient}` },
        };
      },
      mutate: async (ctx, prepared) => {
        const { mail } = prepared.data;
        if (mail !== null) await ctx.mail.send(mail);
      },
      next: (_ctx, prepared, result) => {
        // Skipped counts as sent: the person who skipped it did not want a mail today.
        return result.status === "none" ? undefined : { sentOn: prepared.data.today };
      },
    }),
  },
});
