import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Connection, type ConnectionHandlers } from '../../../sdk/src/web/connection.ts';
import type { WebCallError } from '../../../sdk/src/web/errors.ts';
import { newWebCall } from '../../areas/calls/live/support.ts';
import { eventually } from '../../areas/calls/support.ts';
import { sqliteEngine } from '../../support/engines.ts';
import { useService } from '../../support/service.ts';
import { startNetwork } from './network.ts';

const rate = { rate: 16_000 } as const;

describe('A page that has lost its connection', () => {
  const service = useService(sqliteEngine());

  const joinedPage = async (handlers: Partial<ConnectionHandlers>) => {
    const { key } = await service.newKey();
    const { id, accessToken, ...call } = await newWebCall(service, key);
    const network = await startNetwork(service.port);
    const { promise: ended, resolve } = Promise.withResolvers<[string | null, WebCallError | null]>();
    let reason: string | null = null;
    const page = new Connection(
      { liveUrl: `ws://127.0.0.1:${network.port}/live/v1/calls/${id}`, token: accessToken },
      { type: 'start', input: rate, output: rate },
      {
        onFrame: (frame) => {
          if (frame.type === 'ended') ({ reason } = frame);
        },
        onAudio: () => {},
        onReconnecting: () => {},
        onResumed: () => {},
        onClosed: (error) => resolve([reason, error]),
        ...handlers,
      },
    );
    await page.open();
    return { page, call, network, ended };
  };

  it('learns why its call has ended meanwhile', async (test) => {
    const { call, network, ended } = await joinedPage({ onResumed: () => assert.fail('it cannot be resumed') });
    test.after(() => network.close());
    network.isDown = true;
    await call.end();
    network.isDown = false;
    assert.deepEqual(await ended, ['api_end', null]);
  });

  it('ends its call', async (test) => {
    const lost = Promise.withResolvers<void>();
    const { page, call, network, ended } = await joinedPage({ onReconnecting: () => lost.resolve() });
    test.after(() => network.close());
    network.cut();
    await lost.promise;
    await page.end();
    assert.deepEqual(await ended, [null, null]);
    const { endReason } = await eventually(async () => {
      const found = await call.call();
      return found.status !== 'ongoing' && found;
    });
    assert.equal(endReason, 'caller_hangup');
  });
});
