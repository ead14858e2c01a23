/** `<namespace>/<name>@<version>`: effects, machines and the host's schemas. */
const definitionName = /^[a-z][a-z0-9._-]*\/[A-Za-z][A-Za-z0-9._-]*@[1-9][0-9]*$/;
const integerLike = /^(?:0|[1-9][0-9]*)$/;

export function isDefinitionName(name: string): boolean {
  return definitionName.test(name);
}

/** Objects put such names before all others, so that the order of the source would be lost. */
export function isIntegerLike(name: string): boolean {
  return integerLike.test(name);
}

/** What only the host defines: nothing a script declares or sends may have such a name. */
export function isHostName(name: string): boolean {
  return name.startsWith("sys/");
}

export type MachineNameParts = {
  readonly workflow: string;
  readonly machine: string;
  readonly version: number;
};

export function machineName({ workflow, machine, version }: MachineNameParts): string {
  return `${workflow}/${machine}@${version}`;
}
