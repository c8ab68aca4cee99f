import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { agent, engine, nestedFields } from '../../contract/agents/agent.ts';
import { createAgentBody, defaultEngineType, defaultModel } from '../../contract/agents/requests.ts';

/** Everything about an agent that a file contains, with defaults filled in. */
export type Content = Readonly<Record<string, unknown>> & { readonly name: string };

/** Fields that files do not contain. `versionDescription` belongs to a version, like its number. */
export const fieldsNotInFiles: readonly string[] = [
  'id',
  'workspaceId',
  'version',
  'isPublished',
  'versionDescription',
  'createdAt',
  'updatedAt',
];

/** The fields of a file, in contract order. */
export const fieldNames: readonly string[] = Object.keys(agent.shape).filter(
  (name) => !fieldsNotInFiles.includes(name),
);

/** The schema of a file: the fields of create with the structure of an agent, rejecting unknown fields. */
export const fileSchema = z.strictObject(fileShape());

function fileShape(): Record<string, z.ZodType> {
  const strict = nestedFields(z.strictObject as unknown as typeof z.object, true);
  const { beginMessage } = createAgentBody.shape;
  const shape: Record<string, z.ZodType> = {
    ...createAgentBody.shape,
    beginMessage: beginMessage.unwrap().nullable().default(null),
    responseEngine: z
      .strictObject({
        type: engine.type.default(defaultEngineType),
        prompt: engine.prompt.optional(),
        // An update can remove the model of an agent. If the field were left out, it would mean the default.
        model: engine.model.nullable().default(defaultModel),
        llmWebsocketUrl: engine.llmWebsocketUrl.optional(),
      })
      .prefault({}),
    adaptiveSpeechRate: strict.adaptiveSpeechRate.optional(),
    pronunciationDictionary: strict.pronunciationDictionary.optional(),
    postCallAnalysisData: strict.postCallAnalysisData.default([]),
  };
  return Object.fromEntries(fieldNames.map((name) => [name, shape[name] as z.ZodType]));
}

const required = { name: '?', voiceId: '?' };
const defaults = fileSchema.parse(required) as Record<string, unknown>;
const engineDefaults = defaults.responseEngine as Record<string, unknown>;

/** The part of a server agent that a file contains. */
export function contentOf(source: { readonly name: string }): Content {
  const fields = source as Readonly<Record<string, unknown>>;
  const { type, prompt, model = null, llmWebsocketUrl } = fields.responseEngine as Record<string, unknown>;
  return inOrder({ ...fields, responseEngine: withoutAbsent({ type, prompt, model, llmWebsocketUrl }) });
}

/** The validated content of a file, normalized like JSON: no -0, and `agentSettings` absent instead of null. */
export function contentOfFile(checked: Readonly<Record<string, unknown>>): Content {
  const { agentSettings = null, ...fields } = checked;
  return inOrder(JSON.parse(JSON.stringify(agentSettings === null ? fields : checked)));
}

function inOrder(fields: Readonly<Record<string, unknown>>): Content {
  return withoutAbsent(Object.fromEntries(fieldNames.map((name) => [name, fields[name]]))) as Content;
}

/** The content without defaults, as it is written to a file. */
export function shortened(content: Content): Record<string, unknown> {
  const shown = Object.entries(content).filter(([name, value]) => name in required || !isDefault(name, value));
  return Object.fromEntries(
    shown.map(([name, value]) =>
      name === 'responseEngine' ? [name, withoutDefaults(value as Record<string, unknown>)] : [name, value],
    ),
  );
}

export function isDefault(name: string, value: unknown): boolean {
  return Object.hasOwn(defaults, name) && isDeepStrictEqual(value, defaults[name]);
}

function withoutDefaults(responseEngine: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(responseEngine).filter(
      ([name, value]) => !(name in engineDefaults && engineDefaults[name] === value),
    ),
  );
}

function withoutAbsent(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** A short digest of each non-default field, to detect later changes. */
export function digestsOf(content: Content): Record<string, string> {
  return Object.fromEntries(
    Object.entries(content)
      .filter(([name, value]) => !isDefault(name, value))
      .map(([name, value]) => [name, digest(JSON.stringify(value), 12)]),
  );
}

export function digest(text: string, length = 32): string {
  return createHash('sha256').update(text).digest('hex').slice(0, length);
}
