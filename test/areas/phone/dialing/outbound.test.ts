import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { PhoneNumber } from '../../../../src/contract/phone/phone-number.ts';
import type { AppError } from '../../../../src/core/errors.ts';
import { onEachEngine } from '../../../support/engines.ts';
import { ourNumber, theirNumber, useWorlds, type World } from './support.ts';

const checkedAt = '2027-01-15T08:00:00.000Z';
const check = (name: 'credentials' | 'public_address' | 'number_owned' | 'inbound_route' | 'agent') => ({
  ...{ name, status: 'failed' as const, message: 'It is wrong.', remedy: 'Make it right.', checkedAt },
});

onEachEngine('a new outbound call', (engine) => {
  const worlds = useWorlds(engine);
  const start = async (change: Partial<PhoneNumber> = {}) => {
    const world = await worlds.start();
    const number = await world.addNumber(change as Pick<PhoneNumber, 'outbound'>);
    return { world, number };
  };
  const outbound = (world: World, phoneNumberId: string, more: object = {}) =>
    world.database.transaction((queries) =>
      world.dialing.lines.outbound(queries, world.workspaceId, {
        ...{ phoneNumberId, to: theirNumber, agentId: 'agt_1', ringTimeoutMs: undefined },
        ...more,
      }),
    );
  const issuesOf = async (promise: Promise<unknown>): Promise<unknown> => {
    const error = await promise.then(
      () => assert.fail('it was accepted'),
      (thrown: AppError) => thrown,
    );
    assert.equal(error.code, 'UNPROCESSABLE_CONTENT');
    return (error.details as { fieldErrors: unknown }).fieldErrors;
  };

  it('gets the line of its number, with the ring time of the request or of the number', async () => {
    const { world, number } = await start();
    const line = { phoneNumberId: number.id, carrierId: world.carrier.id, provider: 'twilio', from: ourNumber };
    const given = await outbound(world, number.id, { ringTimeoutMs: 7000 });
    assert.deepEqual(given, { ...line, to: theirNumber, ringTimeoutMs: 7000 });
    assert.equal((await outbound(world, number.id)).ringTimeoutMs, 30_000);
  });

  it('needs a number of its workspace', async () => {
    const [{ world }, other] = [await start(), await start()];
    const issues = { fromPhoneNumberId: ['is not a phone number of this workspace'] };
    assert.deepEqual(await issuesOf(outbound(world, other.number.id)), issues);
  });

  it('needs a number that someone has allowed to make calls', async () => {
    const { world, number } = await start({ outbound: { enabled: false, agentIds: [], ringTimeoutMs: 30_000 } });
    const issues = await issuesOf(outbound(world, number.id));
    assert.match(JSON.stringify(issues), /phone-numbers:write has to set outbound.enabled/);
  });

  it('needs a number whose checks for outbound calls passed, and names the remedy', async () => {
    for (const name of ['credentials', 'public_address', 'number_owned'] as const) {
      const { world, number } = await start({ checks: [check(name)] });
      const issues = { fromPhoneNumberId: ['cannot make calls: It is wrong. Make it right.'] };
      assert.deepEqual(await issuesOf(outbound(world, number.id)), issues);
    }
    const { world, number } = await start({ checks: [check('inbound_route'), check('agent')] });
    assert.equal((await outbound(world, number.id)).from, ourNumber);
    const unchecked = await start({ verifiedAt: null });
    const issues = await issuesOf(outbound(unchecked.world, unchecked.number.id));
    assert.match(JSON.stringify(issues), /has not been checked yet/);
  });

  it('needs an agent that may call from the number', async () => {
    const { world, number } = await start({ outbound: { enabled: true, agentIds: ['agt_2'], ringTimeoutMs: 30_000 } });
    assert.match(JSON.stringify(await issuesOf(outbound(world, number.id))), /agentId.*outbound\.agentIds/);
    assert.equal((await outbound(world, number.id, { agentId: 'agt_2' })).from, ourNumber);
  });

  it('needs a number that may be dialed', async () => {
    const { world, number } = await start();
    const issues = await issuesOf(outbound(world, number.id, { to: '+12025550123' }));
    assert.match(JSON.stringify(issues), /"to":\["is in US/);
  });
});
