import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { connectMcp } from '../../mcp/support/mcp-client.ts';
import { useStartedService } from '../../sdk/support/started-service.ts';

describe('the chat tools of voice-agents mcp', () => {
  const service = useStartedService();

  it('chat with an agent, read the transcript and end the call', async (context) => {
    const key = await service.newKey();
    const mcp = await connectMcp(context, { key, baseUrl: service.url, args: ['--write'] });
    const { agent } = await mcp.get('create_agent', {
      name: 'Reception',
      voiceId: 'v',
      responseEngineType: 'single_prompt',
      prompt: 'Good morning.\nWhich day?',
      llmModel: 'test-script',
    });
    const chat = await mcp.get('start_chat', { agentId: agent.id, agentVersion: 'latest' });
    assert.deepEqual([chat.engine, chat.status, chat.agentVersion], ['test', 'ongoing', 1]);
    assert.match(chat.transcript[0], /^\d+\.\d s agent: Good morning\.$/);
    assert.doesNotMatch(JSON.stringify(chat), /vat_/);
    const { callId } = chat;
    const reply = await mcp.get('send_chat_message', { callId, text: 'A table for two.' });
    assert.equal(reply.callId, callId);
    assert.match(reply.transcript.join('\n'), /caller: A table for two\.\n.*agent: Which day\?$/);
    assert.match(await mcp.refusal('send_chat_message', { callId }), /- text: /);
    const all = await mcp.get('read_transcript', { callId });
    assert.deepEqual([all.transcript.length, all.nextTurn, all.status], [3, null, 'live']);
    const rest = await mcp.get('read_transcript', { callId, fromTurn: 2 });
    assert.deepEqual(rest.transcript, all.transcript.slice(2));
    const ended = await mcp.get('end_chat', { callId });
    assert.deepEqual([ended.status, ended.endReason], ['ended', 'api_end']);
    const late = await mcp.refusal('send_chat_message', { callId, text: 'Still there?' });
    assert.match(late, /409 STATE_CONFLICT[\s\S]*The call is ended; this is possible only while it is /);
    assert.match(await mcp.refusal('read_transcript', { callId: 'call_unknown' }), /Use the `callId` that start_chat/);
  });

  it('are not offered without --write, except to read', async (context) => {
    const mcp = await connectMcp(context, { key: await service.newKey(), baseUrl: service.url });
    const names = await mcp.toolNames();
    assert.ok(names.includes('read_transcript') && !names.includes('start_chat'));
    assert.match(await mcp.refusal('start_chat', { agentId: 'a' }), /changes data, but this server is read-only/);
  });
});
