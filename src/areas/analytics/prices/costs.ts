import { testModelPrefix } from '../../../contract/agents/test-models.ts';
import type { Prices } from '../../../contract/analytics/prices.ts';
import type { Call } from '../../../contract/calls/call.ts';
import type { Llm } from '../../../voice/llm.ts';
import type { CostOf } from '../../area.ts';
import { costByPrices, type SentModel } from './cost.ts';
import type { PriceStore } from './store.ts';

/** As calls of a language model are recorded while none is connected. */
const usualProvider = 'openai';

/** `llmOf`: the language model that analyzes the calls of a workspace; null while none is connected. */
export function createCosts(
  store: PriceStore,
  llmOf: (workspaceId: string) => Pick<Llm, 'provider' | 'sentModel'> | null,
) {
  const analysisModel = (workspaceId: string, model: string): SentModel => {
    if (model.startsWith(testModelPrefix)) return { provider: 'test', model };
    const llm = llmOf(workspaceId);
    return llm === null ? { provider: usualProvider, model } : { provider: llm.provider, model: llm.sentModel(model) };
  };
  const byPrices = (call: Call, prices: Prices | null): Call['cost'] =>
    prices === null ? null : costByPrices(call, prices, (model) => analysisModel(call.workspaceId, model));

  const costOf: CostOf = async (queries, call) => {
    const { workspaceId, createdAt } = call;
    await store.keep(queries, workspaceId);
    return byPrices(call, await store.validAt(queries, workspaceId, Date.parse(createdAt)));
  };
  return { byPrices, costOf };
}
