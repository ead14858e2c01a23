/** One thing a rule found wrong, with the way out. Every rule returns a list of these. */
export type Finding = {
  readonly path: string;
  readonly line: number | null; // null = the file as a whole
  readonly problem: string;
  readonly mend: string;
};

/** What a check has to say: findings fail it, notices are only printed. */
export type Verdict = {
  readonly findings: readonly Finding[];
  readonly notices: readonly string[];
};

export function verdict(findings: readonly Finding[], notices: readonly string[] = []): Verdict {
  return { findings, notices };
}

export function formatFinding(finding: Finding): string {
  const place = finding.line === null ? finding.path : `${finding.path}:${finding.line}`;
  return `${place}  ${finding.problem}\n    -> ${finding.mend}`;
}
