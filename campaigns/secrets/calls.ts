import { setTimeout as delay } from 'node:timers/promises';
import type { Connection, Reply } from '../connection.ts';
import { type Secret, secretOf } from './search.ts';

interface CallScene {
  readonly connection: Connection;
  readonly key: string;
  readonly strangerKey: string;
  readonly locked: Secret[];
  /** Plants content and returns it. */
  content(name: string): string;
  found(what: string): void;
  look(where: string, reply: Reply): void;
}

const maxReads = 1000;
/** How much of the end of a token is random: its beginning is not. */
const randomEnd = 28;

/** A chat with confidential content, its analyses, and the webhook that they are sent to. */
export async function plantInCalls(scene: CallScene): Promise<void> {
  const { connection, key, strangerKey, locked, content, found, look } = scene;
  const must = async (method: string, path: string, body?: object) => {
    const reply = await connection.request(method, `/api/v1/${path}`, { key, ...(body && { body }) });
    if (reply.status >= 300) throw new Error(`${method} ${path} was answered ${reply.status}: ${reply.body}`);
    return JSON.parse(reply.body.toString('utf8'));
  };
  // Nothing listens there: what is said about the attempt contains no address.
  const url = `http://127.0.0.1:1024/${content('a password of a receiver')}`;
  const webhook = await must('POST', 'webhooks', { url, events: ['call_analyzed'], include: ['transcript'] });
  locked.push(secretOf('the secret of a webhook', webhook.secret));
  const rotated = await must('POST', `webhooks/${webhook.id}/rotate-secret`, {});
  locked.push(secretOf('a rotated secret of a webhook', rotated.secret));

  const note = content('what a caller said');
  const agent = await must('POST', 'agents', {
    name: 'Reception',
    voiceId: 'voice-1',
    llmModel: 'test-echo',
    beginMessage: content('the greeting of a chat'),
    postCallAnalysisModel: 'test-extract',
    postCallAnalysisData: [{ name: 'note', type: 'string', description: content('what a value is') }],
    agentSettings: { analysis: { summaryPrompt: content('the instructions for a summary') } },
  });
  const call = await must('POST', 'calls', { type: 'chat', agentId: agent.id, agentVersion: 'latest' });
  locked.push(secretOf('an access token', call.access.token.slice(-randomEnd)));
  const path = `calls/${call.id}`;
  const text = `note: ${note}\nsummary: ${content('the summary of a call')}`;
  await must('POST', `${path}/messages`, { text });
  await must('POST', `${path}/end`);
  const isAnalyzed = async (): Promise<boolean> => {
    const { items } = await must('GET', `${path}/analyses`);
    return items.every(({ status }: { status: string }) => status !== 'pending');
  };
  for (let reads = 0; !(await isAnalyzed()); reads += 1) {
    if (reads === maxReads) return found('an analysis is never settled');
    await delay(20);
  }
  const { analysis } = await must('GET', path);
  if (analysis.data.note !== note) found('an analysis does not contain what was said');
  const preview = { model: 'gpt', postCallAnalysisData: [{ name: 'note', type: 'string', description: '' }] };
  const failed = await connection.request('POST', `/api/v1/${path}/analysis/preview`, { key, body: preview });
  // 429: there are at most 20 a minute.
  if (failed.status !== 502 && failed.status !== 429) found(`a preview with a failing model got ${failed.status}`);
  look('the answer to a preview whose model fails', failed);
  for (const part of ['', '/analyses', '/transcript', '/events']) {
    look(`a stranger's call${part}`, await connection.request('GET', `/api/v1/${path}${part}`, { key: strangerKey }));
  }
  const deliveries = await connection.request('GET', `/api/v1/webhooks/${webhook.id}/deliveries`, { key: strangerKey });
  look("a stranger's deliveries", deliveries);
  await must('DELETE', `webhooks/${webhook.id}`);
  await must('DELETE', `agents/${agent.id}`);
}
