import type { VoiceAgents } from '../../../sdk/src/index.ts';
import type { KnowledgeBase } from '../../../sdk/src/schema.ts';
import { CommandError, exitCodes, invalidUsage } from '../failures.ts';
import { checkedId } from '../resources/ids.ts';
import { visible } from '../terminal/text.ts';

/** A knowledge base by its id or its name. */
export async function findBase(client: VoiceAgents, target: string): Promise<KnowledgeBase> {
  if (/^(kb|vak)_/.test(target)) {
    return client.knowledgeBases.get(checkedId('knowledge base', target, 'kb', 'knowledge list'));
  }
  const found: KnowledgeBase[] = [];
  if (target.trim() !== '') {
    for await (const base of client.knowledgeBases.list({ q: target, limit: 100 })) {
      if (base.name === target) found.push(base);
    }
  }
  const [first, second] = found;
  if (first === undefined) {
    const advice = 'run "voice-agents knowledge list" to see them';
    throw new CommandError(`there is no knowledge base "${visible(target)}": ${advice}`, exitCodes.notFound);
  }
  if (second === undefined) return first;
  throw invalidUsage(`several knowledge bases are called "${visible(target)}": use an id`);
}
