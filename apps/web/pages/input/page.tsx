import { Link, useParams } from "@tanstack/react-router";
import { usePageTitle } from "../../frame/page-title.ts";
import { Answered } from "../../show/answered.tsx";
import { CommandButton } from "../../show/command-button.tsx";
import { CopyCommand } from "../../show/copy-command.tsx";
import { Mark } from "../../show/mark.tsx";
import { Moment } from "../../show/moment.tsx";
import { useWhy } from "../../show/use-why.ts";
import { WhyLine } from "../../show/why-line.tsx";
import { sayInput } from "../../words/states.ts";
import { countText } from "../../words/values.ts";
import type { Why } from "../../words/why.ts";
import { Behind } from "./behind.tsx";
import { Story } from "./story.tsx";

/** What happened to one thing that came in, from then to now. */
export function InputPage() {
  const { workflow, input } = useParams({ from: "/page/workflows/$workflow/inputs/$input" });
  const query = useWhy(workflow, input);
  usePageTitle(query.data?.input?.title ?? "");
  return (
    <>
      <p className="way">
        <Link to="/">Workflows</Link> ›{" "}
        <Link to="/page/workflows/$workflow" params={{ workflow }}>
          {workflow}
        </Link>
      </p>
      <Answered query={query} what="what happened">
        {(why) => <Shown workflow={workflow} why={why} />}
      </Answered>
    </>
  );
}

export type Input = NonNullable<Why["input"]>;

function Shown({ workflow, why }: { readonly workflow: string; readonly why: Why }) {
  const { input } = why;
  if (input === null) return null;
  const { title, status, createdAt, source, type, externalId, inputId } = input;
  return (
    <>
      <section className="thing-head">
        <div className="head">
          <h1>{title}</h1>
          <Mark said={sayInput(status)} />
        </div>
        <p className="quiet">
          {type} from {source}, {externalId} · received <Moment at={createdAt} />
        </p>
        <WhyLine workflow={workflow} why={why} />
      </section>
      <section className="panel">
        <h2>What happened</h2>
        <div className="panel-body">
          <Story workflow={workflow} input={input} />
        </div>
      </section>
      <Deeds workflow={workflow} input={input} />
      <Behind workflow={workflow} input={input} />
      <CopyCommand words={["inputs", "show", workflow, inputId]} />
    </>
  );
}

const again =
  "Everything that it led to is worked on again: what was done outside may be done a second time.";

function Deeds({ workflow, input }: { readonly workflow: string; readonly input: Input }) {
  const { inputId, status, events, outputsDone } = input;
  const open = events.pending + events.reserved;
  const stays = `What was done for it stays done: ${countText(outputsDone, "thing")}.`;
  if (status === "pending") {
    return (
      <div className="buttons">
        <CommandButton
          workflow={workflow}
          command="skip_input"
          body={{ inputId }}
          says="Leave it out …"
          warns={`${countText(open, "open step")} of it will not be worked on any more. ${stays}`}
        />
      </div>
    );
  }
  return (
    <div className="buttons">
      <CommandButton
        workflow={workflow}
        command="reprocess_input"
        body={{ inputId }}
        says="Do it once more …"
        warns={`${again} ${stays}`}
      />
    </div>
  );
}
