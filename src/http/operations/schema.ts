import { z } from 'zod';

/** The inner schema, without optional, nullable and default wrappers. */
export function unwrapped(schema: unknown): unknown {
  let inner = schema;
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodNullable || inner instanceof z.ZodDefault)
    inner = inner.unwrap();
  return inner;
}
