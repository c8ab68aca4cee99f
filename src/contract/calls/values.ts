import { z } from 'zod';
import { text } from '../text.ts';

/** The keys of `variables` and of `metadata`. */
const keyPattern = /^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/;
export const maxVariables = 100;
export const maxVariableBytes = 16 * 1024;
export const maxMetadataKeys = 50;
export const maxMetadataBytes = 8 * 1024;

const variableValue = z.union([z.string(), z.number(), z.boolean(), z.null()], {
  error: 'must be a string, a number, true, false or null',
});

/** What is wrong with the keys or the size of variables or metadata. */
export function sizeIssues(
  given: Readonly<Record<string, unknown>>,
  { maxKeys, maxBytes }: { readonly maxKeys: number; readonly maxBytes: number },
): string[] {
  const keys = Object.keys(given);
  const malformed = keys.find((key) => !keyPattern.test(key));
  return [
    ...(malformed === undefined
      ? []
      : ['must have keys of letters, digits and _.- that start with a letter or _ and have at most 64 characters']),
    ...(keys.length > maxKeys ? [`must have at most ${maxKeys} keys`] : []),
    ...(Buffer.byteLength(JSON.stringify(given)) > maxBytes ? [`must be at most ${maxBytes / 1024} KiB as JSON`] : []),
  ];
}

export const variableLimits = { maxKeys: maxVariables, maxBytes: maxVariableBytes };
export const metadataLimits = { maxKeys: maxMetadataKeys, maxBytes: maxMetadataBytes };

/** zod leaves out a member called `__proto__`, which would then be lost without an error. */
function withoutPrototype(value: unknown, context: z.RefinementCtx): unknown {
  if (typeof value === 'object' && value !== null && Object.hasOwn(value, '__proto__')) {
    context.addIssue({ code: 'custom', message: 'must not have the key __proto__' });
  }
  return value;
}

export const variables = z
  .preprocess(
    withoutPrototype,
    z.record(z.string(), variableValue).superRefine((given, context) => {
      for (const message of sizeIssues(given, variableLimits)) context.addIssue({ code: 'custom', message });
    }),
  )
  .meta({
    description: 'Values for `{{name}}` in prompts and texts. Up to 100 keys and 16 KiB as JSON.',
    examples: [{ shop: '銀座店' }],
  });

export const metadata = z
  .preprocess(
    withoutPrototype,
    z.record(z.string(), z.unknown()).superRefine((given, context) => {
      for (const message of sizeIssues(given, metadataLimits)) context.addIssue({ code: 'custom', message });
    }),
  )
  .meta({
    description: 'Your own data. Up to 50 keys and 8 KiB as JSON.',
    examples: [{ page: '/booking' }],
  });

export const externalId = text({ min: 1, max: 255 }).meta({
  description: 'Your own reference. It does not have to be unique.',
  examples: ['visit-2981'],
});

export type Scalar = z.infer<typeof variableValue>;
