import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { onePage } from '../pagination.ts';
import { text } from '../text.ts';
import { none } from './query.ts';
import { isAnyObject } from './query-issues.ts';

export const maxPriceDocuments = 20;
const maxItems = 500;

/** The units of each capability. */
export const priceUnits = {
  llm: ['million_prompt_tokens', 'million_cached_tokens', 'million_completion_tokens'],
  stt: ['minute'],
  tts: ['million_characters'],
  carrier: ['minute'],
} as const;

export const pricedCapabilities = ['llm', 'stt', 'tts', 'carrier'] as const;
const units = [...new Set(Object.values(priceUnits).flat())] as [string, ...string[]];

/** A decimal amount: up to 9 digits, and up to 9 decimals. */
const amount = /^\d{1,9}(\.\d{1,9})?$/;

const priceItem = z
  .object({
    capability: z.enum(pricedCapabilities).meta({ description: 'What it is the price of.', examples: ['llm'] }),
    provider: text({ min: 1, max: 255 }).meta({ description: 'The provider. `*`: any.', examples: ['openai'] }),
    model: text({ min: 1, max: 255 }).meta({ description: 'The model. `*`: any.', examples: ['gpt-5.4-mini'] }),
    unit: z.enum(units).meta({
      description:
        'What the price is for. `llm`: `million_prompt_tokens`, `million_cached_tokens`, `million_completion_tokens`. `stt` and `carrier`: `minute`. `tts`: `million_characters`.',
      examples: ['million_prompt_tokens'],
    }),
    price: z
      .string()
      .regex(amount, 'must be a decimal number such as 0.25, with up to 9 digits and 9 decimals')
      .max(19)
      .meta({ description: 'The price of one unit, in the currency.', examples: ['0.25'] }),
  })
  .superRefine(
    ({ capability, unit }, context) => {
      const known: readonly string[] | undefined = Object.hasOwn(priceUnits, capability)
        ? priceUnits[capability]
        : undefined;
      // Any other value is an issue of its own.
      if (known === undefined || !units.includes(unit) || known.includes(unit)) return;
      context.addIssue({ code: 'custom', path: ['unit'], message: `must be one of: ${known.join(', ')}` });
    },
    { when: isAnyObject },
  )
  .meta({
    id: 'PriceItem',
    description: 'The price of one unit. The most specific one applies, model before provider.',
  });

export type PriceItem = z.output<typeof priceItem>;

const currency = z
  .string()
  .regex(/^[A-Z]{3}$/, 'must be an ISO 4217 code, such as USD')
  .max(3)
  .meta({ description: 'The currency, as in ISO 4217.', examples: ['USD'] });

const validFrom = z
  .string()
  .meta({ description: 'From when on the prices are valid, with any offset.', examples: ['2026-12-01T00:00:00Z'] });

export const prices = z
  .strictObject({
    currency,
    validFrom: z.iso
      .datetime()
      .meta({ description: 'From when on they are valid.', examples: ['2026-12-01T00:00:00.000Z'] }),
    items: z.array(priceItem).meta({ description: 'The prices.' }),
  })
  .meta({ id: 'Prices', description: 'What providers charge, as the operator states it.' });

export type Prices = z.infer<typeof prices>;

export const putPricesBody = z
  .object({
    currency,
    items: z
      .array(priceItem)
      .max(maxItems)
      .meta({ description: 'The prices. One for each capability, provider, model and unit.' }),
  })
  .superRefine(
    ({ items }, context) => {
      const seen = new Set<string>();
      for (const [index, item] of (Array.isArray(items) ? items : []).entries()) {
        const { capability, provider, model, unit } = item ?? {};
        const key = JSON.stringify([capability, provider, model, unit]);
        if (seen.has(key)) context.addIssue({ code: 'custom', path: ['items', index], message: 'is given twice' });
        seen.add(key);
      }
    },
    { when: isAnyObject },
  )
  .meta({ id: 'PutPrices', description: 'The prices that are valid from a time on.' });

const onePrices = { params: z.object({ validFrom }), query: none, body: null } as const;

export const listPrices = defineOperation({
  id: 'analytics.prices.list',
  kind: 'read',
  method: 'GET',
  path: '/api/v1/analytics/prices',
  scope: 'analytics:read',
  risk: 'standard',
  summary: 'List prices',
  description: 'Returns all prices of the workspace, newest `validFrom` first.',
  params: none,
  query: none,
  body: null,
  success: {
    status: 200,
    description: 'All prices.',
    body: z
      .strictObject({
        items: z.array(prices).meta({ description: 'One for each `validFrom`, the newest first.' }),
        pagination: onePage,
      })
      .meta({ id: 'PricesPage', description: 'All prices of the workspace.' }),
  },
});

export const putPrices = defineOperation({
  ...onePrices,
  id: 'analytics.prices.put',
  kind: 'change',
  method: 'PUT',
  path: '/api/v1/analytics/prices/{validFrom}',
  scope: 'analytics:write',
  risk: 'standard',
  summary: 'Set prices',
  description:
    'Adds the prices that are valid from a time on, or replaces them. The costs of calls created since then are computed again in the background. A workspace can have up to 20 (422).',
  body: putPricesBody,
  bodyExample: {
    currency: 'USD',
    items: [
      { capability: 'llm', provider: 'openai', model: 'gpt-5.4-mini', unit: 'million_prompt_tokens', price: '0.25' },
    ],
  },
  success: { status: 200, description: 'The prices.', body: prices },
});

export const deletePrices = defineOperation({
  ...onePrices,
  id: 'analytics.prices.delete',
  kind: 'change',
  method: 'DELETE',
  path: '/api/v1/analytics/prices/{validFrom}',
  scope: 'analytics:write',
  risk: 'destructive',
  summary: 'Delete prices',
  description:
    'Deletes the prices that are valid from a time on; those before apply in their place. The costs of calls created since then are computed again in the background.',
  success: {
    status: 200,
    description: 'The prices have been deleted.',
    body: z
      .strictObject({
        validFrom: z.iso.datetime().meta({ description: 'Whose prices.', examples: ['2026-12-01T00:00:00.000Z'] }),
        deleted: z.literal(true).meta({ description: 'Always true.', examples: [true] }),
      })
      .meta({ id: 'DeletedPrices', description: 'Confirms the deletion.' }),
  },
});
