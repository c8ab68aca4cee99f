import { agent as faqDesk } from '../../../../examples/faq-desk/agent.yaml';
import { agent as openingHours } from '../../../../examples/opening-hours/agent.yaml';
import { agent as salon } from '../../../../examples/salon/agent.yaml';
import { agent as survey } from '../../../../examples/survey/agent.yaml';
import type { Provider } from '../../../../sdk/src/index.ts';
import { speechSupport } from '../../try/spoken/speech-support.ts';
import { type Values, valuesFrom } from '../agent/values.ts';
import type { TemplateName } from './template-order.ts';

export interface Template {
  readonly name: TemplateName;
  readonly values: Values;
}

/** A new agent is most often a prompt; a flow starts from an example. */
const blank = { responseEngine: { type: 'single_prompt' } };

const contents: Readonly<Record<TemplateName, Readonly<Record<string, unknown>>>> = {
  'opening-hours': openingHours,
  'faq-desk': withoutKnowledge(faqDesk),
  survey,
  salon,
  blank,
};

/** Blank is in the language of the dashboard. */
export function templateNamed(name: TemplateName, language: string): Template {
  return { name, values: valuesFrom(name === 'blank' ? { ...blank, language } : contents[name]) };
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
function withoutKnowledge(agent: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { knowledge: _, ...agentSettings } = agent.agentSettings as Readonly<Record<string, unknown>>;
  return { ...agent, agentSettings };
}
