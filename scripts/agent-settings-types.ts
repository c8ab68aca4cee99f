/**
 * `agentSettings` is any JSON in the API, because a draft may hold anything. The SDK has types for the keys that the
 * service reads, from the schemas that it checks them with.
 */
import { z } from 'zod';
import { anytimeRouteSchema, flowSchema, skillSchema } from '../src/contract/agents/settings/flow.ts';
import { reservedSettings } from '../src/contract/agents/settings/index.ts';
import { tool } from '../src/contract/agents/settings/tools.ts';
import { type OpenApiDocument, referencePrefix, type Schema } from './sdk-types.ts';

/** Parts with a name of their own, so that a program can use it. */
const parts: Readonly<Record<string, z.ZodType>> = {
  AgentTool: tool,
  FlowSkill: skillSchema,
  FlowAnytimeRoute: anytimeRouteSchema,
  AgentFlow: flowSchema,
};
const descriptions: Readonly<Record<string, string>> = {
  AgentFlow: 'The flow of an agent of the type `conversation_flow`: see docs/flows.md.',
  FlowSkill: 'A step of a flow, by its `type`.',
  FlowAnytimeRoute: 'Words that lead to a skill, or repeat the question, at any point of a flow.',
};
const settingsName = 'AgentSettings';
const patchName = 'AgentSettingsPatch';

/** What the SDK has in addition to the schemas of the OpenAPI document. */
export function settingsSchemas(): Readonly<Record<string, Schema>> {
  const settings = z.object({ ...reservedSettings, flow: flowSchema }).partial();
  const { properties = {} } = jsonSchema(settings, settingsName);
  return {
    ...Object.fromEntries(Object.entries(parts).map(([name, schema]) => [name, jsonSchema(schema, name)])),
    [settingsName]: {
      type: 'object',
      description:
        'Settings of an agent. These keys are read by the service and checked when the agent is published or called; until then, a draft may hold anything. All other keys are your own.',
      properties,
      additionalProperties: true,
    },
  };
}

/** The document, with a reference to these types wherever a schema has `agentSettings`. */
export function withSettings({ paths, components }: OpenApiDocument): OpenApiDocument {
  const schemas = Object.entries(components.schemas).map(([name, schema]): [string, Schema] => {
    const { properties } = schema;
    const own = properties?.agentSettings;
    if (own === undefined) return [name, schema];
    const $ref = `${referencePrefix}${name.startsWith('Update') ? patchName : settingsName}`;
    return [name, { ...schema, properties: { ...properties, agentSettings: { ...own, $ref } } }];
  });
  return { paths, components: { schemas: Object.fromEntries(schemas) } };
}

export const settingsPatchType = `/** Changes to \`agentSettings\`: objects are merged, lists replaced, and null removes a key. */
export type ${patchName} = MergePatch<${settingsName}> | null;
`;

function jsonSchema(schema: z.ZodType, own: string): Schema {
  const override = ({ zodSchema, jsonSchema }: { zodSchema: unknown; jsonSchema: Record<string, unknown> }) => {
    const name = Object.keys(parts).find((part) => part !== own && parts[part] === zodSchema);
    if (name === undefined) return;
    for (const keyword of Object.keys(jsonSchema)) delete jsonSchema[keyword];
    jsonSchema.$ref = `${referencePrefix}${name}`;
  };
  const converted = z.toJSONSchema(schema, { io: 'input', override }) as Schema;
  return { description: descriptions[own] ?? '', ...converted };
}
