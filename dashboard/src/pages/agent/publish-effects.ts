import type { Field, GroupName } from './fields.ts';
import type { AgentTexts } from './texts.ts';
import { isObject, isSame, type Values } from './values.ts';

/** What callers notice, by the group of a field. Null: nothing. */
const noticed: Readonly<Record<GroupName, keyof AgentTexts | null>> = {
  basics: 'effectLanguage',
  engine: 'effectReplies',
  advanced: 'effectReplies',
  voice: 'effectVoice',
  conversation: 'effectTiming',
  recognition: 'effectHearing',
  analysis: null,
  data: 'effectStorage',
  webhooks: null,
};
const unnoticed: readonly string[] = ['name'];

/** Where the flow editor shows the steps is nothing that callers notice. */
export function isOnlyLayout(name: string, before: Values | undefined, after: Values | undefined): boolean {
  if (name !== 'agentSettings' || before === undefined || after === undefined) return false;
  return isSame(withoutLayout(before.agentSettings), withoutLayout(after.agentSettings));
}

function withoutLayout(settings: unknown): unknown {
  if (!isObject(settings) || !isObject(settings.flow)) return settings;
  const { layout: _, ...flow } = settings.flow;
  return { ...settings, flow };
}

/** What changes for callers with these fields, in the order of the form. */
export function effectsOf(fields: readonly Field[], texts: AgentTexts): readonly string[] {
  const keys = fields.map(({ name, group }) => {
    if (unnoticed.includes(name)) return null;
    if (name === 'beginMessage') return 'effectBegin';
    return name === 'responseEngine.type' ? 'effectReplies' : noticed[group];
  });
  return [...new Set(keys)].flatMap((key) => (key === null ? [] : [texts[key] as string]));
}
