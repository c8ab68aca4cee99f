import type { PriceItem, Prices } from '../../../contract/analytics/prices.ts';
import type { Call } from '../../../contract/calls/call.ts';
import type { CallCost } from '../../../contract/calls/usage.ts';
import { type Decimal, decimal, dividedToEven } from './decimal.ts';

type Capability = PriceItem['capability'];
type Missing = CallCost['missing'][number];

/** A number of units of something that was used. */
interface UsedUnits {
  readonly unit: PriceItem['unit'];
  readonly quantity: number;
  /** How many of the quantity make one unit. */
  readonly perUnit: number;
}

interface Used extends Missing {
  readonly units: readonly UsedUnits[];
}

/** What a language model was sent under which name. */
export interface SentModel {
  readonly provider: string;
  readonly model: string;
}

/** Providers that run in the service itself or in the browser, and cost nothing. */
const freeProviders: ReadonlySet<string> = new Set(['test', 'embedded', 'browser']);
const million = 1_000_000;
const minuteMs = 60_000;
/** Micros per unit of the currency. */
const micros = 1_000_000n;
const maxMicros = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * What a call has cost, by the prices that were valid when it was created: each amount is rounded once, half to even.
 * `analysisModel`: what the language model of its analysis is called by its provider.
 */
export function costByPrices(call: Call, prices: Prices, analysisModel: (model: string) => SentModel): CallCost {
  const find = priceFinder(prices);
  const parts = { llm: new Part(find), stt: new Part(find), tts: new Part(find), carrier: new Part(find) };
  const analysis = new Part(find);
  for (const entry of call.usage.breakdown) parts[entry.capability].add(usedOfEntry(entry, find));
  const { carrier } = call.usage;
  if (carrier.provider !== null) {
    const billed = { unit: 'minute', quantity: carrier.billedMs, perUnit: minuteMs };
    parts.carrier.add({ capability: 'carrier', provider: carrier.provider, model: null, units: [billed] });
  }
  const { model, promptTokens, completionTokens } = call.analysis;
  if (model !== null) {
    const tokens = { promptTokens: promptTokens ?? 0, cachedTokens: 0, completionTokens: completionTokens ?? 0 };
    analysis.add({ capability: 'llm', ...analysisModel(model), units: tokenUnits(tokens, false) });
  }
  const all = [...Object.values(parts), analysis];
  return {
    currency: prices.currency,
    totalMicros: sumOf(all.map((part) => part.micros)),
    llmMicros: sumOf([parts.llm.micros]),
    sttMicros: sumOf([parts.stt.micros]),
    ttsMicros: sumOf([parts.tts.micros]),
    carrierMicros: sumOf([parts.carrier.micros]),
    analysisMicros: sumOf([analysis.micros]),
    pricesFrom: prices.validFrom,
    missing: distinct(all.flatMap((part) => part.missing)),
  };
}

type FindPrice = (capability: Capability, of: Pick<Missing, 'provider' | 'model'>, unit: string) => Decimal | undefined;

const anything = '*';

/** The most specific price wins, model before provider. */
function priceFinder({ items }: Prices): FindPrice {
  const keyOf = (...parts: readonly string[]) => JSON.stringify(parts);
  const prices = new Map(
    items.map(({ capability, provider, model, unit, price }) => [keyOf(capability, unit, model, provider), price]),
  );
  return (capability, { provider, model }, unit) => {
    const models = model === null ? [anything] : [model, anything];
    const found = models
      .flatMap((named) => [provider, anything].map((by) => prices.get(keyOf(capability, unit, named, by))))
      .find((price) => price !== undefined);
    return found === undefined ? undefined : decimal(found);
  };
}

/** One kind of cost. */
class Part {
  /** Null: a price is missing. */
  micros: bigint | null = 0n;
  readonly missing: Missing[] = [];
  readonly #find: FindPrice;

  constructor(find: FindPrice) {
    this.#find = find;
  }

  add({ units, ...what }: Used): void {
    for (const { unit, quantity, perUnit } of units) {
      if (quantity <= 0) continue;
      const price = this.#find(what.capability, what, unit);
      if (price !== undefined) this.micros = added(this.micros, microsOf(quantity, perUnit, price));
      else if (!freeProviders.has(what.provider)) {
        this.micros = null;
        this.missing.push(what);
      }
    }
  }
}

function added(one: bigint | null, other: bigint): bigint | null {
  return one === null ? null : one + other;
}

function microsOf(quantity: number, perUnit: number, { digits, scale }: Decimal): bigint {
  return dividedToEven(BigInt(quantity) * digits * micros, BigInt(perUnit) * scale);
}

function usedOfEntry(entry: Call['usage']['breakdown'][number], find: FindPrice): Used {
  const { capability, provider, model, audioMs, characters } = entry;
  const what = { capability, provider, model };
  switch (capability) {
    case 'llm': {
      const isCachedPriced = find(capability, entry, 'million_cached_tokens') !== undefined;
      return { ...what, units: tokenUnits(entry, isCachedPriced) };
    }
    case 'stt':
      return { ...what, units: [{ unit: 'minute', quantity: audioMs, perUnit: minuteMs }] };
    case 'tts':
      return { ...what, units: [{ unit: 'million_characters', quantity: characters, perUnit: million }] };
    default:
      return capability satisfies never;
  }
}

interface Tokens {
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly completionTokens: number;
}

/** Cached tokens without a price of their own cost as much as others. */
function tokenUnits({ promptTokens, cachedTokens, completionTokens }: Tokens, isCachedPriced: boolean): UsedUnits[] {
  const cached = isCachedPriced ? Math.min(cachedTokens, promptTokens) : 0;
  return [
    { unit: 'million_prompt_tokens', quantity: promptTokens - cached, perUnit: million },
    { unit: 'million_cached_tokens', quantity: cached, perUnit: million },
    { unit: 'million_completion_tokens', quantity: completionTokens, perUnit: million },
  ];
}

/** Capped, so that no price keeps a call from ending: no real one comes near. */
function sumOf(amounts: readonly (bigint | null)[]): number | null {
  const sum = amounts.reduce<bigint | null>((total, amount) => (amount === null ? null : added(total, amount)), 0n);
  if (sum === null) return null;
  return Number(sum > maxMicros ? maxMicros : sum);
}

function distinct(missing: readonly Missing[]): Missing[] {
  return [...new Map(missing.map((one) => [JSON.stringify([one.capability, one.provider, one.model]), one])).values()];
}
