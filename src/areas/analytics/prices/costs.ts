import { testModelPrefix } from '../../../contract/agents/test-models.ts';
import type { Prices } from '../../../contract/analytics/prices.ts';
import type { Call } from '../../../contract/calls/call.ts';
import type { Llm } from '../../../voice/llm.ts';
import type { CostOf } from '../../area.ts';
import { costByPrices, type SentModel } from './cost.ts';
import type { PriceStore } from './store.ts';

/** As calls of a language model are recorded while none is connected. */
const usualProvider = 'openai';

/** `llm`: the language model that analyzes calls; null while none is connected. */
export function createCosts(store: PriceStore, llm: Pick<Llm, 'provider' | 'sentModel'> | null) {
  const analysisModel = (model: string): SentModel => {
    if (model.startsWith(testModelPrefix)) return { provider: 'test', model };
    return llm === null ? { provider: usualProvider, model } : { provider: llm.provider, model: llm.sentModel(model) };
  };
  const byPrices = (call: Call, prices: Prices | null): Call['cost'] =>
    prices === null ? null : costByPrices(call, prices, analysisModel);

  const costOf: CostOf = async (queries, call) => {
    const { workspaceId, createdAt } = call;
    await store.keep(queries, workspaceId);
    return byPrices(call, await store.validAt(queries, workspaceId, Date.parse(createdAt)));
  };
  return { byPrices, costOf };
}
