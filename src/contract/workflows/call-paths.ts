import { z } from 'zod';
import { call } from '../calls/call.ts';

/** Whether a Call has this field. What is inside of lists, and of objects such as `metadata`, is up to the call. */
export function isCallPath(names: readonly string[]): boolean {
  let schema: unknown = call;
  for (const name of names) {
    schema = unwrapped(schema);
    if (schema instanceof z.ZodRecord || schema instanceof z.ZodArray) return true;
    if (!(schema instanceof z.ZodObject) || !Object.hasOwn(schema.shape, name)) return false;
    schema = schema.shape[name];
  }
  return names.length > 0;
}

function unwrapped(schema: unknown): unknown {
  return schema instanceof z.ZodNullable || schema instanceof z.ZodOptional ? unwrapped(schema.unwrap()) : schema;
}
