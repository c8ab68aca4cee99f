import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { costByPrices } from '../../../src/areas/analytics/prices/cost.ts';
import { createCosts } from '../../../src/areas/analytics/prices/costs.ts';
import { decimal, dividedToEven } from '../../../src/areas/analytics/prices/decimal.ts';
import type { PriceItem, Prices } from '../../../src/contract/analytics/prices.ts';
import type { Call } from '../../../src/contract/calls/call.ts';
import { seed } from '../../support/seed.ts';
import { analysisWith, callWith } from '../../support/stored-calls.ts';

type Entry = Call['usage']['breakdown'][number];

const pricesOf = (...items: [string, PriceItem['unit'], string][]): Prices => ({
  currency: 'USD',
  validFrom: '2026-01-01T00:00:00.000Z',
  items: items.map(([what, unit, price]) => {
    const [capability = 'llm', provider = '*', model = '*'] = what.split(' ');
    return { capability: capability as PriceItem['capability'], provider, model, unit, price };
  }),
});

const entry = (what: string, changes: Partial<Entry>): Entry => {
  const [capability, provider = '', model] = what.split(' ');
  const nothing = { requests: 1, promptTokens: 0, cachedTokens: 0, completionTokens: 0, audioMs: 0, characters: 0 };
  return { capability: capability as Entry['capability'], provider, model: model ?? null, ...nothing, ...changes };
};

const callUsing = (breakdown: Entry[], analysis: Partial<Call['analysis']> = {}): Call => {
  const call = callWith({ workspaceId: 'ws_1', analysis: analysisWith(analysis) });
  return { ...call, usage: { ...call.usage, breakdown } };
};

const costOf = (call: Call, prices: Prices) =>
  costByPrices(call, prices, (model) => ({ provider: 'openai', model: `sent-${model}` }));

const free = { totalMicros: 0, llmMicros: 0, sttMicros: 0, ttsMicros: 0, carrierMicros: 0, analysisMicros: 0 };
const head = { currency: 'USD', pricesFrom: '2026-01-01T00:00:00.000Z' };

describe('the cost of a call', () => {
  it('is the sum of what its providers charge for each unit', () => {
    const prices = pricesOf(
      ['llm openai gpt', 'million_prompt_tokens', '0.25'],
      ['llm openai gpt', 'million_cached_tokens', '0.025'],
      ['llm openai gpt', 'million_completion_tokens', '2'],
      ['stt deepgram *', 'minute', '0.0043'],
      ['tts openai tts-2', 'million_characters', '15'],
      ['carrier twilio *', 'minute', '0.0085'],
    );
    const call = callUsing([
      entry('llm openai gpt', { promptTokens: 2210, cachedTokens: 1024, completionTokens: 188 }),
      entry('stt deepgram', { audioMs: 90_000 }),
      entry('tts openai tts-2', { characters: 412 }),
    ]);
    const billed = { ...call, usage: { ...call.usage, carrier: { provider: 'twilio', billedMs: 120_000 } } };
    // 1186 * 0.25 = 296.5, and 1024 * 0.025 = 25.6, and 188 * 2 = 376
    const llmMicros = 296 + 26 + 376;
    assert.deepEqual(costOf(billed, prices), {
      ...head,
      totalMicros: llmMicros + 6450 + 6180 + 17_000,
      llmMicros,
      sttMicros: 6450,
      ttsMicros: 6180,
      carrierMicros: 17_000,
      analysisMicros: 0,
      missing: [],
    });
  });

  it('is rounded once for each entry and unit, half to even', () => {
    const prices = pricesOf(
      ['llm * *', 'million_prompt_tokens', '0.5'],
      ['llm * *', 'million_completion_tokens', '0.5'],
    );
    const micros = (...tokens: number[]) =>
      costOf(callUsing(tokens.map((promptTokens, n) => entry(`llm p m${n}`, { promptTokens }))), prices).totalMicros;
    assert.deepEqual(
      [1, 3, 5, 7].map((tokens) => micros(tokens)),
      [0, 2, 2, 4],
    );
    assert.equal(micros(1, 1, 1, 1), 0, 'not rounded as a sum');
    const both = callUsing([entry('llm p m', { promptTokens: 3, completionTokens: 3 })]);
    assert.equal(costOf(both, prices).totalMicros, 4);
    const minute = pricesOf(['stt * *', 'minute', '0.000000001']);
    const sttMicros = (audioMs: number) => costOf(callUsing([entry('stt p', { audioMs })]), minute).sttMicros;
    // 60,000,000 ms cost one millionth.
    assert.deepEqual([30_000_000, 30_000_001, 90_000_000].map(sttMicros), [0, 1, 2]);
  });

  it('is exact for amounts that floating-point numbers cannot hold', () => {
    const prices = pricesOf(['tts * *', 'million_characters', '123456789.123456789']);
    const call = callUsing([entry('tts p m', { characters: 9_999_999 })]);
    // 1234567891234567.89 - 123456789.123456789 = 1234567767777778.766543211
    assert.equal(costOf(call, prices).totalMicros, 1_234_567_767_777_779);
  });

  it('takes the most specific price of each unit, model before provider', () => {
    const micros = (...items: [string, PriceItem['unit'], string][]) =>
      costOf(callUsing([entry('llm p m', { promptTokens: 1 })]), pricesOf(...items)).llmMicros;
    const unit = 'million_prompt_tokens';
    const any: [string, PriceItem['unit'], string] = ['llm * *', unit, '1'];
    const provider: typeof any = ['llm p *', unit, '2'];
    const model: typeof any = ['llm * m', unit, '3'];
    const exact: typeof any = ['llm p m', unit, '4'];
    const others: (typeof any)[] = [
      ['llm p other', unit, '9'],
      ['llm other m', unit, '9'],
      ['llm other *', unit, '9'],
      ['llm p m', 'million_completion_tokens', '9'],
      ['llm P M', unit, '9'],
    ];
    assert.equal(micros(...others, any), 1);
    assert.equal(micros(...others, any, provider), 2);
    assert.equal(micros(...others, provider, model, any), 3);
    assert.equal(micros(exact, ...others, any, provider, model), 4);
  });

  it('counts cached tokens as others if they have no price of their own', () => {
    const call = callUsing([entry('llm p m', { promptTokens: 10, cachedTokens: 4 })]);
    const prompt: [string, PriceItem['unit'], string] = ['llm p m', 'million_prompt_tokens', '1'];
    assert.equal(costOf(call, pricesOf(prompt)).llmMicros, 10);
    assert.equal(costOf(call, pricesOf(prompt, ['llm p m', 'million_cached_tokens', '0'])).llmMicros, 6);
    assert.equal(costOf(call, pricesOf(prompt, ['llm * *', 'million_cached_tokens', '2'])).llmMicros, 14);
    const allCached = callUsing([entry('llm p m', { promptTokens: 4, cachedTokens: 4 })]);
    assert.deepEqual(costOf(allCached, pricesOf(['llm p m', 'million_cached_tokens', '2'])).missing, []);
  });

  it('is unknown, not too low, if a price is missing, and says which', () => {
    const prices = pricesOf(['llm p m', 'million_prompt_tokens', '1'], ['tts * *', 'million_characters', '1']);
    const call = callUsing(
      [
        entry('llm p m', { promptTokens: 5, completionTokens: 5 }),
        entry('llm p other', { promptTokens: 1, completionTokens: 1 }),
        entry('stt deepgram', { audioMs: 1 }),
        entry('stt unused', { audioMs: 0 }),
        entry('tts p m', { characters: 7 }),
      ],
      { model: 'm', promptTokens: 3, completionTokens: 0 },
    );
    assert.deepEqual(costOf(call, prices), {
      ...head,
      ...free,
      totalMicros: null,
      llmMicros: null,
      sttMicros: null,
      ttsMicros: 7,
      analysisMicros: null,
      missing: [
        { capability: 'llm', provider: 'p', model: 'm' },
        { capability: 'llm', provider: 'p', model: 'other' },
        { capability: 'stt', provider: 'deepgram', model: null },
        { capability: 'llm', provider: 'openai', model: 'sent-m' },
      ],
    });
  });

  it('is 0 for test, embedded and browser, unless a price says otherwise', () => {
    const call = callUsing([
      entry('llm test test-echo', { promptTokens: 5 }),
      entry('stt browser', { audioMs: 5 }),
      entry('tts embedded', { characters: 5 }),
    ]);
    assert.deepEqual(costOf(call, pricesOf()), { ...head, ...free, missing: [] });
    const priced = pricesOf(
      ['tts embedded *', 'million_characters', '1'],
      ['llm * test-echo', 'million_prompt_tokens', '1'],
    );
    assert.deepEqual(costOf(call, priced), {
      ...head,
      ...free,
      totalMicros: 10,
      llmMicros: 5,
      ttsMicros: 5,
      missing: [],
    });
  });

  it('never exceeds what a number can hold, so that no price keeps a call from ending', () => {
    const prices = pricesOf(['tts * *', 'million_characters', '999999999'], ['stt * *', 'minute', '999999999']);
    const call = callUsing([
      entry('tts p m', { characters: Number.MAX_SAFE_INTEGER }),
      entry('stt p', { audioMs: Number.MAX_SAFE_INTEGER }),
    ]);
    const { totalMicros, ttsMicros } = costOf(call, prices);
    assert.deepEqual([totalMicros, ttsMicros], [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]);
  });

  it('of an analysis is looked up under the name that was sent', () => {
    const llm = { provider: 'openai', sentModel: (model: string) => `${model}-2026` };
    const { byPrices } = createCosts({} as never, () => llm);
    const call = callUsing([], { model: 'gpt', promptTokens: 100, completionTokens: 10 });
    const prices = pricesOf(
      ['llm openai gpt-2026', 'million_prompt_tokens', '1'],
      ['llm openai gpt-2026', 'million_completion_tokens', '10'],
    );
    assert.equal(byPrices(call, prices)?.analysisMicros, 200);
    assert.equal(byPrices(call, null), null);
    const test = callUsing([], { model: 'test-extract', promptTokens: 100, completionTokens: 10 });
    assert.equal(byPrices(test, prices)?.totalMicros, 0);
  });
});

describe('decimal arithmetic', () => {
  it('reads amounts exactly', () => {
    assert.deepEqual(decimal('0.25'), { digits: 25n, scale: 100n });
    assert.deepEqual(decimal('007'), { digits: 7n, scale: 1n });
    assert.deepEqual(decimal('999999999.999999999'), { digits: 999_999_999_999_999_999n, scale: 1_000_000_000n });
  });

  it('rounds to the nearest whole number, and to the even one of two', () => {
    let state = BigInt(seed);
    const next = (bound: bigint) => {
      state = (state * 6_364_136_223_846_793_005n + 1_442_695_040_888_963_407n) % 2n ** 64n;
      return (state >> 16n) % bound;
    };
    for (let count = 0; count < 2000; count += 1) {
      const divisor = 1n + next(count % 2 === 0 ? 10n : 10n ** 12n);
      const dividend = next(count % 3 === 0 ? 100n : 10n ** 14n);
      const result = dividedToEven(dividend, divisor);
      const distance = 2n * (result * divisor - dividend);
      const size = distance < 0n ? -distance : distance;
      assert.ok(size <= divisor, `${dividend} / ${divisor}`);
      if (size === divisor) assert.equal(result % 2n, 0n, `${dividend} / ${divisor}`);
    }
  });
});
