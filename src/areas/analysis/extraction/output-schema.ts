import { sentiments } from '../../../contract/calls/analysis.ts';
import { type AnalysisItem, maxQuote, maxText } from './task.ts';

const closed = (properties: Readonly<Record<string, object>>) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

const evidence = {
  type: ['object', 'null'],
  description: 'What the value is based on. Null if the value is null.',
  properties: {
    turns: { type: 'array', items: { type: 'integer' }, description: 'The numbers of the turns.' },
    quote: { type: 'string', description: `Their words, copied exactly, up to ${maxQuote} characters.` },
    rationale: { type: ['string', 'null'], description: `Why, in one sentence of up to ${maxQuote} characters.` },
  },
  required: ['turns', 'quote', 'rationale'],
  additionalProperties: false,
} as const;

function valueSchema({ type, description, options = [] }: AnalysisItem): object {
  const described = description === '' ? {} : { description };
  switch (type) {
    case 'number':
      return { type: ['number', 'null'], ...described };
    case 'boolean':
      return { type: ['boolean', 'null'], ...described };
    case 'enum':
      return { type: ['string', 'null'], enum: [...options, null], ...described };
    case 'string':
      return { type: ['string', 'null'], ...described };
    default:
      return type satisfies never;
  }
}

/** The JSON Schema of the response. Every value may be null: the call does not say. */
export function outputSchema(items: readonly AnalysisItem[]): object {
  // From entries, because a field may have any name, also `__proto__`.
  const forEach = (schemaOf: (item: AnalysisItem) => object) =>
    closed(Object.fromEntries(items.map((item) => [item.name, schemaOf(item)])));
  return closed({
    summary: { type: ['string', 'null'], description: `Up to ${maxText} characters.` },
    successful: { type: ['boolean', 'null'] },
    sentiment: { type: ['string', 'null'], enum: [...sentiments, null] },
    data: forEach(valueSchema),
    evidence: closed({ successful: evidence, sentiment: evidence, data: forEach(() => evidence) }),
  });
}
