import type { StoreBrakeAnswer } from "@holdfast/protocol";
import { useEffect, useState } from "react";
import { useAsk } from "../ask/asked.ts";
import { connection } from "../ask/live.ts";
import { loginState } from "../ask/login-state.ts";
import { useOutside } from "../ask/outside-state.ts";
import { Moment } from "../show/moment.tsx";
import { commandText } from "../words/command-text.ts";

/** What stands between the reader and the present: said, and never in the way of reading. */
export function Banners() {
  const login = useOutside(loginState);
  if (login === "out") return <LoggedOut />;
  return (
    <>
      <Lost />
      <AllBraked />
    </>
  );
}

/** What they said is theirs, and shown as text. */
function AllBraked() {
  const brake = useAsk<StoreBrakeAnswer>("/brake").data?.brake ?? null;
  if (brake === null) return null;
  return (
    <div className="banner you" role="status">
      <strong>Nothing is sent by any workflow.</strong> {brake.setBy} stopped all sending{" "}
      <Moment at={brake.setAt} />: {brake.reason}.{" "}
      <code>{commandText("brake", "off", "--all")}</code> lets go again.
    </div>
  );
}

function LoggedOut() {
  return (
    <div className="banner you" role="status">
      <strong>You are not logged in.</strong> Open a login link in this browser (
      <code>{commandText("login-link")}</code> on the host's machine prints one). This page goes on
      by itself then; what you have typed stays here.
    </div>
  );
}

const patienceMs = 1_500;

function Lost() {
  const state = useOutside(connection);
  const [isLong, setLong] = useState(false);
  const isLost = state.kind === "lost";
  useEffect(() => {
    setLong(false);
    if (!isLost) return;
    const timer = window.setTimeout(() => setLong(true), patienceMs);
    return () => window.clearTimeout(timer);
  }, [isLost]);
  if (!isLost || !isLong) return null;
  return (
    <div className="banner quiet-banner" role="status">
      <strong>The connection is lost</strong> since <Moment at={state.since} />. What is shown is
      from before. Trying again by itself; what you have typed stays.
    </div>
  );
}
