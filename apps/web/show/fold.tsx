import { type ReactNode, useState } from "react";

type Props = {
  readonly title: string;
  readonly children: () => ReactNode;
  readonly isOpen?: boolean;
};

/** For the curious; what is inside is made when it is opened. */
export function Fold({ title, children, isOpen = false }: Props) {
  const [isShown, setShown] = useState(isOpen);
  return (
    <details
      className="fold"
      open={isShown}
      onToggle={({ currentTarget }) => setShown(currentTarget.open)}
    >
      <summary>{title}</summary>
      {isShown && <div className="folded">{children()}</div>}
    </details>
  );
}
