/** Once a week every contract that ends soon gets an invoice and a mail about it. */
import { connection, job, type mutation, type read, workflow } from "@holdfast/sdk";

type Contract = { id: string; customer: string; email: string; feeCents: number; endsOn: string };

interface ContractOperations {
  listEnding: read.list<{ before: string }, readonly Contract[]>;
}

interface InvoiceOperations {
  create: mutation<{ contractId: string; amountCents: number }, { number: string; url: string }>;
}

interface MailOperations {
  send: mutation<{ to: string; subject: string; body: string }, { mailId: string }>;
}

const connections = {
  contracts: connection<ContractOperations>({ connector: "http", account: "contracts" }),
  invoices: connection<InvoiceOperations>({ connector: "http", account: "invoices" }),
  mail: connection<MailOperations>({ connector: "smtp", account: "office" }),
};

const topics = {};
const noticeMs = 30 * 24 * 60 * 60 * 1000;

export default workflow<typeof topics, typeof connections>({
  name: "renewals",
  connections,
  topics,
  jobs: {
    renew: job({
      schedule: { cron: "0 6 * * 1", timeZone: "Europe/Vienna" },
      handler: async (ctx) => {
        const before = new Date(Date.now() + noticeMs).toISOString().slice(0, 10);
        for (const contract of await ctx.contracts.listEnding({ before })) {
          const { id, customer, email, feeCents, endsOn } = contract;
          // A contract is renewed once per end date, so both belong to what the item is.
          await ctx.withItem(
            `contract:${id}:${endsOn}`,
            `Contract ${id} of ${customer}`,
            async (item) => {
              if (item.item.isDone) return;
              const invoice = await item.invoices.create({ contractId: id, amountCents: feeCents });
              await item.mail.send({
                to: email,
                subject: `Your contract ${id} ends on ${endsOn}`,
                body: `To renew it, please pay invoice ${invoice.number}: ${invoice.url}`,
              });
            },
          );
        }
      },
    }),
  },
});
