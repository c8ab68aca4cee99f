import { content as customLlm } from '../../../../examples/custom-llm/agent.yaml';
import { content as customLlmJa } from '../../../../examples/custom-llm/agent-ja.yaml';
import { content as faqDesk } from '../../../../examples/faq-desk/agent.yaml';
import { content as faqDeskJa } from '../../../../examples/faq-desk-ja/agent.yaml';
import { content as openingHours } from '../../../../examples/opening-hours/agent.yaml';
import { content as orderStatus } from '../../../../examples/order-status/agent.yaml';
import { content as orderStatusJa } from '../../../../examples/order-status-ja/agent.yaml';
import { content as reception } from '../../../../examples/reception/agent.yaml';
import { content as salon } from '../../../../examples/salon/agent.yaml';
import { content as survey } from '../../../../examples/survey/agent.yaml';
import { content as surveyJa } from '../../../../examples/survey-ja/agent.yaml';
import type { Provider } from '../../../../sdk/src/index.ts';
import { speechSupport } from '../../try/spoken/speech-support.ts';
import { type Values, valuesFrom } from '../agent/values.ts';
import type { ChosenTemplate, TemplateLanguage, TemplateName } from './template-order.ts';

type Content = Readonly<Record<string, unknown>>;

/** A new agent is most often a prompt; a flow starts from an example. */
const blank = { responseEngine: { type: 'single_prompt' } };

const contents: Readonly<Record<TemplateName, Partial<Record<TemplateLanguage, Content>>>> = {
  reception: { en: reception, ja: salon },
  'order-status': { en: orderStatus, ja: orderStatusJa },
  'faq-desk': { en: withoutKnowledge(faqDesk), ja: withoutKnowledge(faqDeskJa) },
  survey: { en: survey, ja: surveyJa },
  'opening-hours': { en: openingHours },
  'custom-llm': { en: customLlm, ja: customLlmJa },
  blank: { en: { ...blank, language: 'en' }, ja: { ...blank, language: 'ja' } },
};

export function templateValues({ name, language }: ChosenTemplate): Values {
  return valuesFrom(contents[name][language] ?? contents[name].en ?? blank);
}

export function supportOf(providers: readonly Provider[], values: Values, hasRecognition = false) {
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  const settings = {
    language: text(values.language),
    sttProvider: text(values.sttProvider),
    ttsProvider: text(values.ttsProvider),
  };
  return speechSupport(providers, settings, hasRecognition);
}

/** The id in the example is a placeholder: the base is created with the agent. */
function withoutKnowledge(agent: Content): Content {
  const { knowledge: _, ...agentSettings } = agent.agentSettings as Content;
  return { ...agent, agentSettings };
}
