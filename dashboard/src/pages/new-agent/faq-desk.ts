import { text as english } from '../../../../examples/faq-desk/faq/faq-en.md';
import { text as japanese } from '../../../../examples/faq-desk/faq/faq-ja.md';
import type { VoiceAgents } from '../../../../sdk/src/index.ts';
import type { Values } from '../agent/values.ts';
import type { TemplateLanguage } from './template-order.ts';

const bases = {
  en: { name: 'FAQ desk', language: 'en' },
  ja: { name: 'FAQデスク', language: 'ja' },
} as const;
const documents = [
  { name: 'faq-en.md', text: english },
  { name: 'faq-ja.md', text: japanese },
];

/** The agent with a knowledge base that it answers from. A base of an earlier try is used again. */
export async function withFaq(client: VoiceAgents, values: Values, language: TemplateLanguage): Promise<Values> {
  const base = bases[language];
  const { items } = await client.knowledgeBases.list({ q: base.name, limit: 100 });
  const known = items.find(({ name }) => name === base.name);
  const { id } = known ?? (await client.knowledgeBases.create(base));
  const { items: present } = await client.documents.list(id, { limit: 100 });
  const missing = documents.filter(({ name }) => !present.some((document) => document.name === name));
  const added = await Promise.all(missing.map((document) => client.documents.create(id, document)));
  await Promise.all(added.map((document) => client.documents.waitUntilSettled(id, document.id)));
  const settings = values.agentSettings as Readonly<Record<string, unknown>> | undefined;
  return { ...values, agentSettings: { ...settings, knowledge: { bases: [{ id }] } } };
}
