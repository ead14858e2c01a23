import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { Empty } from "../../show/empty.tsx";
import { ListPage } from "../../show/list-page.tsx";
import { Moment } from "../../show/moment.tsx";
import { RowParts } from "../../show/row-parts.tsx";
import { sayInput } from "../../words/states.ts";
import { countText } from "../../words/values.ts";
import type { Input } from "../../words/why.ts";

const from = "/page/workflows/$workflow/";
const statuses = ["pending", "done", "skipped"].map((each) => [each, sayInput(each).text] as const);

/** What came in from outside, the newest first, and how far it is. */
export function InputsPage() {
  const { workflow } = useParams({ from });
  const navigate = useNavigate({ from });
  return (
    <ListPage<Input>
      workflow={workflow}
      list="inputs"
      command={["inputs", "ls"]}
      search={useSearch({ from })}
      onSearch={(search) => void navigate({ search, replace: true })}
      values={statuses}
      what="what came in"
      idOf={inputIdOf}
      row={(input) => <InputRow workflow={workflow} input={input} />}
      empty={
        <Empty title="Nothing came in yet.">
          <p>
            The script looks for new things as often as it says, or when you press “Check now”. Each
            shows up here with its title, and what was done for it.
          </p>
        </Empty>
      }
    />
  );
}

function inputIdOf({ inputId }: Input): string {
  return inputId;
}

function InputRow({ workflow, input }: { readonly workflow: string; readonly input: Input }) {
  const { inputId, title, source, type, status, isStale, createdAt, outputsDone } = input;
  const done = countText(outputsDone, "thing");
  return (
    <Link
      to="/page/workflows/$workflow/inputs/$input"
      params={{ workflow, input: inputId }}
      className="row"
      data-row="input"
    >
      <RowParts
        said={sayInput(status)}
        end={
          <>
            {source} · {type} · {done} done · <Moment at={createdAt} />
          </>
        }
      >
        {title}
        {isStale && <span className="tone-you"> waits for longer than usual</span>}
      </RowParts>
    </Link>
  );
}
