import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createGuard } from '../../../src/net/guard.ts';
import { AllowedNetworks } from '../../../src/net/networks.ts';
import { VirtualClock } from '../../../src/voice/clock.ts';
import { KeptConnections } from '../../../src/voice/engines/custom-llm/connections.ts';
import { addressOf, outboundSocket } from '../../../src/voice/engines/custom-llm/outbound-socket.ts';
import { startLlmServer } from '../../providers/custom-llm-double.ts';
import { echoServer, type ServerBehavior, ServerDouble } from './server-double.ts';

describe('The connection of a chat between two messages', () => {
  function keptChat(behavior: ServerBehavior) {
    const clock = new VirtualClock();
    const server = new ServerDouble(clock, behavior);
    const kept = new KeptConnections(clock);
    const heard: string[] = [];
    const connections = kept.of(
      'call_1',
      { open: server.open, clock, time: () => clock.now() },
      {
        reported: (text, endCall) => heard.push(`${text}${endCall ? ' [end]' : ''}`),
        hungUp: () => heard.push('hung up'),
      },
    );
    const connection = connections.take(0);
    connection.start();
    clock.advance(10);
    connections.release(connection);
    return { clock, server, kept, connections, connection, heard };
  }

  test('is kept for a minute, and used again', () => {
    const { clock, server, connections, connection } = keptChat({});
    clock.advance(59_999);
    assert.equal(connections.take(0), connection);
    connections.release(connection);
    clock.advance(59_999);
    assert.deepEqual(server.closedWith, []);
    clock.advance(1);
    assert.deepEqual(server.closedWith, [1000]);
    assert.notEqual(connections.take(0), connection);
  });

  test('closes with the chat', () => {
    const { server, kept } = keptChat({});
    kept.close('call_1');
    assert.deepEqual(server.closedWith, [1000]);
    assert.equal(kept.size, 0);
  });

  test('takes what the server says, and that it hangs up', () => {
    const { clock, server, kept, heard } = keptChat({});
    const interrupt = { response_type: 'agent_interrupt', interrupt_id: 1, content_complete: true };
    server.send({ ...interrupt, content: 'Anything else?' });
    server.send({ ...interrupt, content: 'Bye.', end_call: true });
    clock.advance(10);
    server.close(1000);
    clock.advance(10);
    assert.deepEqual(heard, ['Anything else?', 'Bye. [end]', 'hung up']);
    assert.equal(kept.size, 0);
  });

  test('is no failure if it is lost: another one is opened with the next message', () => {
    const { clock, server, connections, connection, heard, kept } = keptChat(echoServer(null));
    server.leave(1006, 0);
    assert.equal(kept.size, 0);
    assert.deepEqual(heard, []);
    clock.advance(1);
    assert.notEqual(connections.take(0), connection);
  });

  test('that turns out to be gone when it is used is opened again, although the server did not ask for it', () => {
    const { clock, server, connections } = keptChat({});
    const again = connections.take(0);
    const events: string[] = [];
    again.listener = {
      opened: (isAgain) => events.push(`opened ${isAgain}`),
      lost: () => events.push('lost'),
      frame: () => {},
      warn: () => {},
      hungUp: () => {},
      failed: (reason) => events.push(reason),
    };
    server.leave(1006, 0);
    clock.advance(600);
    assert.deepEqual(events, ['lost', 'opened true']);
    server.leave(1006, 0);
    clock.advance(600);
    assert.deepEqual(events.at(-1), 'llm_failed');
  });
});

describe('The address of a custom LLM server', () => {
  test('continues with the id of the call, and keeps its query', () => {
    assert.equal(addressOf('wss://llm.example.com', 'call_1'), 'wss://llm.example.com/call_1');
    assert.equal(addressOf('wss://llm.example.com/a/', 'call_1'), 'wss://llm.example.com/a/call_1');
    assert.equal(addressOf('wss://llm.example.com/a?key=1', 'call_1'), 'wss://llm.example.com/a/call_1?key=1');
  });

  test('whose name leads to a private network is refused for good, without saying where it leads', async () => {
    const guard = createGuard({ allowedNetworks: new AllowedNetworks([]), lookup: async () => ['10.1.2.3'] });
    const open = outboundSocket({ guard, url: 'wss://llm.example.com/call_1', headers: async () => ({}) });
    const failure = await new Promise<[string, boolean]>((resolve) => {
      open({
        opened: () => assert.fail('it must not connect'),
        message: () => {},
        control: () => {},
        closed: () => {},
        failed: (detail, isFinal) => resolve([detail, isFinal]),
      });
    });
    assert.deepEqual(failure, ['The service does not connect to this address.', true]);
    await guard.close();
  });
});

describe('A custom LLM server that does not read', () => {
  test('does not fill the memory: the connection is given up, and says why', async () => {
    const server = await startLlmServer({ connected: ({ socket }) => socket.pause() });
    const guard = createGuard({ allowedNetworks: new AllowedNetworks(['127.0.0.0/8']) });
    const open = outboundSocket({ guard, url: `${server.url}/call_1`, headers: async () => ({}) });
    const text = 'x'.repeat(1024 * 1024);
    const sent = await new Promise<{ readonly count: number; readonly detail: string | undefined }>((resolve) => {
      let count = 0;
      let sending: NodeJS.Timeout | undefined;
      open({
        opened: (socket) => {
          sending = setInterval(() => {
            count += 1;
            socket.send(text);
          }, 1);
        },
        message: () => {},
        control: () => {},
        failed: (detail) => assert.fail(detail),
        closed: (_code, detail) => {
          clearInterval(sending);
          resolve({ count, detail });
        },
      });
    });
    assert.equal(sent.detail, 'the custom LLM server does not read what it is sent');
    assert.ok(sent.count < 100, `${sent.count} MiB`);
    await guard.close();
    await server.close();
  });
});
