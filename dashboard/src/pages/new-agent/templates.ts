import { agent as openingHours } from '../../../../examples/opening-hours/agent.yaml';
import { agent as salon } from '../../../../examples/salon/agent.yaml';
import { agent as survey } from '../../../../examples/survey/agent.yaml';
import type { Provider } from '../../../../sdk/src/index.ts';
import { speechSupport } from '../../try/spoken/speech-support.ts';
import { type Values, valuesFrom } from '../agent/values.ts';

export const templateNames = ['opening-hours', 'survey', 'salon', 'blank'] as const;
export type TemplateName = (typeof templateNames)[number];

export interface Template {
  readonly name: TemplateName;
  readonly values: Values;
}

/** A new agent is most often a prompt; a flow starts from an example. */
const blank = { responseEngine: { type: 'single_prompt' } };

const contents: Readonly<Record<TemplateName, Readonly<Record<string, unknown>>>> = {
  'opening-hours': openingHours,
  survey,
  salon,
  blank,
};

/** Blank is in the language of the dashboard. */
export function templateNamed(name: TemplateName, language: string): Template {
  return { name, values: valuesFrom(name === 'blank' ? { ...blank, language } : contents[name]) };
}

/** Those that this service can talk to come first; blank is always the last. */
export function templatesFor(providers: readonly Provider[], language: string): readonly Template[] {
  const all = templateNames.map((name) => templateNamed(name, language));
  const rank = ({ name, values }: Template) => (name === 'blank' ? 2 : canTalk(providers, values) ? 0 : 1);
  return all.toSorted((one, other) => rank(one) - rank(other));
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

function canTalk(providers: readonly Provider[], values: Values): boolean {
  const { speechIn, speechOut } = supportOf(providers, values);
  return speechIn && speechOut;
}
