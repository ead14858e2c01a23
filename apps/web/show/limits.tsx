import type { PolicyValue } from "@holdfast/protocol";

const origins: Readonly<Record<PolicyValue["from"], string>> = {
  default: "the program",
  all: "the policy file, for all",
  environment: "how the host was started",
  workflow: "the policy file, for this workflow",
  connection: "the policy file, for this connection",
  operation: "the policy file, for this operation",
};

/** Each value, with who said it. */
export function Limits({ items }: { readonly items: readonly PolicyValue[] }) {
  return (
    <div className="table-place">
      <table className="table folds">
        <thead>
          <tr>
            <th scope="col">Limit</th>
            <th scope="col" className="number">
              Value
            </th>
            <th scope="col">Set by</th>
          </tr>
        </thead>
        <tbody>
          {items.map(({ name, value, from }) => (
            <tr key={name}>
              <td>
                <code>{name}</code>
              </td>
              <td className="number">{value.toLocaleString()}</td>
              <td className={from === "default" ? "quiet" : undefined}>{origins[from]}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
