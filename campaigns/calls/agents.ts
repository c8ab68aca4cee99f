import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Random } from '../random.ts';
import { silenceMs } from './settings.ts';

export const chatKinds = ['echo', 'script', 'slow', 'flow', 'prompt'] as const;
export type ChatKind = (typeof chatKinds)[number];

/** One message, and what the agent must reply; null if that depends on what it was asked before. */
export interface PlannedMessage {
  readonly text: string;
  readonly reply: string | null;
}

const scriptLines = ['first line', 'second line', 'third line'];
const salon = join(import.meta.dirname, '..', '..', 'examples', 'salon', 'agent.yaml');

/** The body of agents.create. `toolUrl` is where the tools of the agent are. */
export function agentOf(kind: ChatKind, toolUrl: string): object {
  // The double of the model gets requests of conversations only.
  const own = { endCallAfterSilenceMs: silenceMs, webhookUrl: null, postCallAnalysisModel: 'test-extract' };
  if (kind === 'flow') {
    const agent = parse(readFileSync(salon, 'utf8'));
    const tools = agent.agentSettings.tools.map((tool: object) => ({ ...tool, url: toolUrl }));
    const { agentSettings, ...rest } = agent;
    return {
      ...rest,
      ...own,
      language: 'ja',
      responseEngineType: 'conversation_flow',
      agentSettings: { ...agentSettings, tools },
    };
  }
  const base = { name: `${kind} agent`, voiceId: 'voice-1', language: 'en', ...own };
  if (kind === 'prompt') {
    return { ...base, beginMessage: 'Welcome.', responseEngine: promptEngine, agentSettings: promptSettings(toolUrl) };
  }
  const prompt = kind === 'script' ? [...scriptLines, '[end]'].join('\n') : '';
  return { ...base, beginMessage: '', responseEngine: { type: 'single_prompt', model: `test-${kind}`, prompt } };
}

/** The double of the model reads the call from the prompt. */
const promptEngine = { type: 'single_prompt', model: 'gpt-5.4-mini', prompt: 'You are in {{call_id}}.' };

function promptSettings(url: string): object {
  const parameters = { type: 'object', properties: { item: { type: 'string' } }, required: ['item'] };
  return { tools: [{ name: 'book', description: 'Books an item.', parameters, url }] };
}

/** What a caller writes in a chat. `name` is in no other chat. */
export function messagesOf(kind: ChatKind, name: string, random: Random): PlannedMessage[] {
  const count = random.int(1, kind === 'slow' ? 2 : 4);
  const numbered = Array.from({ length: count }, (_, index) => `${name} message ${index}`);
  switch (kind) {
    case 'script':
      return [...scriptLines, ''].map((reply, index) => ({ text: `${name} message ${index}`, reply }));
    case 'flow':
      return salonMessages(name).map((text) => ({ text, reply: null }));
    case 'prompt':
      return numbered.map((text) =>
        random.chance(0.6)
          ? { text: `${text} book ${text.replaceAll(' ', '-')}`, reply: `Done: ${text.replaceAll(' ', '-')}` }
          : { text, reply: `You said: ${text}` },
      );
    default:
      return numbered.map((text) => ({ text, reply: text }));
  }
}

/** A booking to its end, which calls a tool. */
function salonMessages(name: string): string[] {
  return ['予約をお願いします', 'カットで', '明日', '15時', name, '090-1234-5678', 'はい', 'はい、お願いします'];
}
