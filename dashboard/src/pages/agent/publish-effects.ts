import type { Field, GroupName } from './fields.ts';
import type { AgentTexts } from './texts.ts';

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

/** What changes for callers with these fields, in the order of the form. */
export function effectsOf(fields: readonly Field[], texts: AgentTexts): readonly string[] {
  const keys = fields.map(({ name, group }) => {
    if (unnoticed.includes(name)) return null;
    if (name === 'beginMessage') return 'effectBegin';
    return name === 'responseEngine.type' ? 'effectReplies' : noticed[group];
  });
  return [...new Set(keys)].flatMap((key) => (key === null ? [] : [texts[key] as string]));
}
