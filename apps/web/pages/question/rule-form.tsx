import type { AllowLikeAnswer, AllowLikeRequest } from "@holdfast/protocol";
import { useState } from "react";
import { post } from "../../ask/api.ts";
import { newKey } from "../../ask/new-key.ts";
import { pathOf } from "../../ask/use-answer.ts";
import { Problem } from "../../show/problem.tsx";
import type { QuestionCard } from "../../words/questions.ts";
import {
  constraintsOf,
  type Openable,
  type Opening,
  openablesOf,
  sameText,
} from "../../words/rules.ts";
import type { Json } from "../../words/values.ts";

const dayMs = 86_400_000;

type Tried = { readonly request: AllowLikeRequest; readonly answer: AllowLikeAnswer };

/** Asks what the rule would be, and then for it to be made. */
function useRule(card: QuestionCard) {
  const [tried, setTried] = useState<Tried | null>(null);
  const [error, setError] = useState<unknown>(null);
  const send = async (request: AllowLikeRequest) => {
    setError(null);
    try {
      const path = `${pathOf(card)}/allow-like`;
      setTried({ request, answer: await post<AllowLikeAnswer>(path, request, newKey()) });
    } catch (problem) {
      setTried(null);
      setError(problem);
    }
  };
  return { tried, error, send, forget: () => setTried(null) };
}

/** A rule is first shown in words, all of it; what was shown is what is made. */
export function RuleForm({ card }: { readonly card: QuestionCard }) {
  const [openings, setOpenings] = useState<ReadonlyMap<string, Opening>>(new Map());
  const [perDay, setPerDay] = useState("10");
  const [days, setDays] = useState("30");
  const { tried, error, send, forget } = useRule(card);
  const change = (edit: () => void) => {
    forget();
    edit();
  };
  const preview = () => {
    const where = constraintsOf(openings);
    const limits = [{ per: "day", count: Number(perDay) }];
    const expiresAt = Date.now() + Number(days) * dayMs;
    return send({ where, limits, expiresAt, preview: true });
  };
  if (tried?.answer.accepted === true) return <Made rule={tried.answer.rule} />;
  return (
    <form
      className="more rule"
      onSubmit={(event) => {
        event.preventDefault();
        void (tried === null ? preview() : send({ ...tried.request, preview: false }));
      }}
    >
      <p>Calls like this one are sent without asking. What may differ?</p>
      {openablesOf((card.call?.params ?? null) as Json).map((each) => (
        <OpeningField
          key={each.at}
          field={each}
          onChange={(opening) => change(() => setOpenings(new Map(openings).set(each.at, opening)))}
        />
      ))}
      <Bound
        says="At most so many in a day"
        value={perDay}
        onChange={(text) => change(() => setPerDay(text))}
      />
      <Bound
        says="For so many days"
        value={days}
        onChange={(text) => change(() => setDays(text))}
      />
      {tried !== null && (
        <div>
          <p>This is the whole rule:</p>
          <p className="shown-rule">{tried.answer.rule}</p>
        </div>
      )}
      {error !== null && <Problem error={error} />}
      <div className="buttons">
        <button type="submit" className={tried === null ? undefined : "main"}>
          {tried === null ? "Show me the rule" : "Make this rule"}
        </button>
      </div>
    </form>
  );
}

function Made({ rule }: { readonly rule: string }) {
  return <p role="status">From now on: {rule}. The call above still waits for your answer.</p>;
}

type BoundProps = {
  readonly says: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
};

function Bound({ says, value, onChange }: BoundProps) {
  return (
    <label>
      {says}
      <input
        type="number"
        min="1"
        step="any"
        required
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
    </label>
  );
}

type OpeningProps = { readonly field: Openable; readonly onChange: (opening: Opening) => void };

function OpeningField({ field, onChange }: OpeningProps) {
  const { name, value } = field;
  const [kind, setKind] = useState<Opening["kind"]>("same");
  const [max, setMax] = useState(String(value));
  const isNumber = typeof value === "number";
  const choose = (next: Opening["kind"], upTo: string) => {
    setKind(next);
    setMax(upTo);
    onChange(next === "up to" ? { kind: next, max: Number(upTo) } : { kind: next });
  };
  return (
    <div className="opening">
      <label>
        {name}
        <select
          aria-label={name}
          value={kind}
          onChange={({ currentTarget }) => choose(currentTarget.value as Opening["kind"], max)}
        >
          <option value="same">{sameText(value)}</option>
          {isNumber ? (
            <option value="up to">any number up to …</option>
          ) : (
            <option value="any">any text</option>
          )}
        </select>
      </label>
      {kind === "up to" && (
        <Bound says={`${name}, at most`} value={max} onChange={(text) => choose(kind, text)} />
      )}
    </div>
  );
}
