type Props = {
  readonly name: string;
  readonly value: string | undefined;
  readonly values: readonly (readonly [value: string, says: string])[];
  readonly onChange: (value: string) => void;
  /** Null = one of them has to be chosen. */
  readonly onAll: (() => void) | null;
};

/** One filter of a list; what is chosen stands in the address. */
export function Filter({ name, value, values, onChange, onAll }: Props) {
  return (
    <label className="filter">
      {name}
      <select
        value={value ?? ""}
        onChange={({ currentTarget }) => {
          if (currentTarget.value === "") onAll?.();
          else onChange(currentTarget.value);
        }}
      >
        {onAll !== null && <option value="">all</option>}
        {values.map(([each, says]) => (
          <option key={each} value={each}>
            {says}
          </option>
        ))}
      </select>
    </label>
  );
}
