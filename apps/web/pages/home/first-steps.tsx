import { Empty } from "../../show/empty.tsx";
import { commandText } from "../../words/command-text.ts";

/** The first start: what a workflow is, and how one comes here. */
export function FirstSteps() {
  return (
    <Empty title="Nothing is delegated yet.">
      <p>
        A workflow is one script: it looks for what comes in (mails, orders, invoices), and does
        what you would have done with it. You see here what came in, what was done, and what needs
        you.
      </p>
      <ol>
        <li>
          Write one, or take the example: <code>examples/orders</code>.
        </li>
        <li>
          See what it would do: <code>{commandText("validate", "examples/orders/orders.ts")}</code>
        </li>
        <li>
          Deploy it: <code>{commandText("deploy", "examples/orders/orders.ts")}</code>. It shows up
          here by itself. What you did not allow it to do, it asks you for.
        </li>
      </ol>
    </Empty>
  );
}
