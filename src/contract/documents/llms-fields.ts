import type { z } from 'zod';
import { agent } from '../agents/agent.ts';
import { createAgentBody } from '../agents/requests.ts';
import { componentPrefix, type Json, schemaOf } from './json-schema.ts';

/** Every field of an agent on a line of its own, with its type, its range and what it is if it is not set. */
export function agentFieldLines(): string[] {
  const schemas: Json = {};
  const resolve = (schema: Json): Json =>
    typeof schema.$ref === 'string'
      ? { ...resolve(schemas[schema.$ref.replace(componentPrefix, '')] as Json), ...schema, $ref: undefined }
      : schema;
  const rootOf = (given: z.ZodType, io: 'input' | 'output') => resolve(schemaOf(given, io, schemas));
  const created = propertiesOf(rootOf(createAgentBody, 'input'));
  const lines = (schema: Json, path: string): string[] =>
    Object.entries(propertiesOf(schema)).flatMap(([name, property]) => {
      const field = resolve(withoutNull(resolve(property)));
      const required = (schema.required ?? []) as string[];
      const facts = [
        typeOf(field),
        ...rangeOf(field),
        ...(isNullable(resolve(property)) ? ['or null'] : []),
        ...(required.includes(name) ? [] : ['optional']),
        ...defaultOf(path === '' ? created[name] : undefined),
      ];
      const description = String(resolve(property).description ?? field.description ?? '');
      const item = field.type === 'array' ? resolve((field.items ?? {}) as Json) : field;
      const inner = `${path}${name}${field.type === 'array' ? '[]' : ''}.`;
      return [`- \`${path}${name}\` (${facts.join(', ')}): ${description}`, ...lines(item, inner)];
    });
  return lines(rootOf(agent, 'output'), '');
}

function propertiesOf(schema: Json): Record<string, Json> {
  return (schema.properties ?? {}) as Record<string, Json>;
}

/** What a value is if it is not null. */
function withoutNull(schema: Json): Json {
  const parts = (schema.anyOf ?? []) as Json[];
  return parts.find(({ type }) => type !== 'null') ?? schema;
}

function isNullable(schema: Json): boolean {
  return ((schema.anyOf ?? []) as Json[]).some(({ type }) => type === 'null');
}

function typeOf({ type, enum: values }: Json): string {
  if (Array.isArray(values)) return `one of ${values.filter((value) => value !== null).join(', ')}`;
  return typeof type === 'string' ? type : 'any JSON';
}

function rangeOf({ minimum, maximum, minLength, maxLength, maxItems }: Json): string[] {
  if (minimum !== undefined && maximum !== undefined) return [`${minimum} to ${maximum}`];
  if (minimum !== undefined) return [`from ${minimum}`];
  if (maxLength !== undefined) return [`${minLength ?? 0} to ${maxLength} characters`];
  return maxItems === undefined ? [] : [`up to ${maxItems} items`];
}

function defaultOf(schema: Json | undefined): string[] {
  return schema?.default === undefined ? [] : [`default ${JSON.stringify(schema.default)}`];
}
