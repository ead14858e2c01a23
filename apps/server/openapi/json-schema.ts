import { z } from "zod";

export type JsonSchema = Readonly<Record<string, unknown>>;

/** Where what has a name of its own is kept, once for all routes. */
export type Components = Record<string, JsonSchema>;

/** A request or an answer as JSON Schema; what it names goes to the components. */
export function jsonSchemaOf(schema: z.ZodType, name: string, components: Components): JsonSchema {
  // In a property of its own a schema that has a name is only referred to.
  const { properties, $defs = {} } = z.toJSONSchema(z.object({ whole: schema }), {
    io: "input",
    // Who reads an answer cannot change it; that says nothing about its form.
    override: ({ jsonSchema }) => void delete jsonSchema.readOnly,
  });
  const placed = (text: string) =>
    text.replaceAll(/"#\/\$defs\/(\w+)"/g, (_, def: string) => `"${refOf(def, name)}"`);
  for (const [def, given] of Object.entries($defs)) {
    const { id: _, ...shown } = given as Record<string, unknown>;
    components[placeOf(def, name)] = JSON.parse(placed(JSON.stringify(shown)));
  }
  return JSON.parse(placed(JSON.stringify(properties?.["whole"] ?? {})));
}

/** One that zod had to name itself is only known beside the schema it came from. */
function placeOf(def: string, name: string): string {
  return def.startsWith("__") ? `${name}${def}` : def;
}

function refOf(def: string, name: string): string {
  return `#/components/schemas/${placeOf(def, name)}`;
}
