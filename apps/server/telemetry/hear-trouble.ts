import { DiagLogLevel, diag } from "@opentelemetry/api";

const onceInMs = 60_000;

/** A collector that is away is said once in a while, and not for every batch it did not take. */
export function hearTrouble(complain: (line: string) => void): void {
  let saidAt = Number.NEGATIVE_INFINITY;
  const say = (text: string): void => {
    if (performance.now() - saidAt < onceInMs) return;
    saidAt = performance.now();
    const [line = ""] = text.split("\n");
    complain(`telemetry was not taken: ${line.slice(0, 300)}`);
  };
  const nobody = () => {};
  const logger = { error: say, warn: nobody, info: nobody, debug: nobody, verbose: nobody };
  diag.setLogger(logger, DiagLogLevel.ERROR);
}
