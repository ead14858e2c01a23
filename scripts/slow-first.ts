import { BaseSequencer, type TestSpecification } from "vitest/node";

/** What starts processes takes longest; begun last, one core would wait for the other. */
const slow = /\/(?:tests\/(?:crash|host-crash|postgres|hosts|end-to-end)|apps\/cli|simulator)\//;

export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}

function rank({ moduleId }: TestSpecification): number {
  return slow.test(moduleId) ? 0 : 1;
}
