import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { agent, engine, nestedFields } from '../../contract/agent.ts';
import { createAgentBody, defaultEngineType, defaultModel } from '../../contract/agent-requests.ts';

/** Everything about an agent that a file holds, with the defaults of what was left out. */
export type Content = Readonly<Record<string, unknown>> & { readonly name: string };

/** What the service says about an agent; files say the rest. `versionDescription` is about a version, like its number. */
export const fieldsOfTheService: readonly string[] = [
  'id',
  'workspaceId',
  'version',
  'isPublished',
  'versionDescription',
  'createdAt',
  'updatedAt',
];

/** In the order of the contract. */
export const fieldNames: readonly string[] = Object.keys(agent.shape).filter(
  (name) => !fieldsOfTheService.includes(name),
);

/** What a file may say: the fields of create in the shape that an agent has, and nothing that is not known. */
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
        // An agent may have lost its model to an update. Absent, it would stand for the default.
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

/** What an agent of the service holds of what a file says. */
export function contentOf(source: { readonly name: string }): Content {
  const fields = source as Readonly<Record<string, unknown>>;
  const { type, prompt, model = null, llmWebsocketUrl } = fields.responseEngine as Record<string, unknown>;
  return inOrder({ ...fields, responseEngine: withoutAbsent({ type, prompt, model, llmWebsocketUrl }) });
}

/** What a file says once it has been checked, as JSON has it: without -0, and `agentSettings` absent instead of null. */
export function contentOfFile(checked: Readonly<Record<string, unknown>>): Content {
  const { agentSettings = null, ...fields } = checked;
  return inOrder(JSON.parse(JSON.stringify(agentSettings === null ? fields : checked)));
}

function inOrder(fields: Readonly<Record<string, unknown>>): Content {
  return withoutAbsent(Object.fromEntries(fieldNames.map((name) => [name, fields[name]]))) as Content;
}

/** What is written of it: as little as says the same. */
export function shortened(content: Content): Record<string, unknown> {
  const told = Object.entries(content).filter(([name, value]) => name in required || !isDefault(name, value));
  return Object.fromEntries(
    told.map(([name, value]) =>
      name === 'responseEngine' ? [name, withoutDefaults(value as Record<string, unknown>)] : [name, value],
    ),
  );
}

export function isDefault(name: string, value: unknown): boolean {
  return Object.hasOwn(defaults, name) && isDeepStrictEqual(value, defaults[name]);
}

/** What a field stands for where a file does not have it. */
export function defaultOf(name: string): unknown {
  return Object.hasOwn(defaults, name) && !(name in required) ? defaults[name] : undefined;
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

/** A short digest for each field that is not what it is by default, by which a later change of it shows. */
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
