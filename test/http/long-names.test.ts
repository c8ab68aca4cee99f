import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Answer, send } from '../support/client.ts';
import { sqliteEngine } from '../support/engines.ts';
import { useService } from '../support/service.ts';

const path = '/api/v1/agents';
const million = 1_000_000;
const least = { name: 'a', voiceId: 'v' };
const prefer = 'handling=strict';

describe('a long name from a request', () => {
  const service = useService(sqliteEngine());

  const post = async (body: unknown): Promise<Answer> =>
    send(service, 'POST', path, { key: (await service.newKey()).key, body, headers: { prefer } });
  const fieldErrorsOf = (answer: Answer): Record<string, string[]> => {
    assert.equal(answer.status, 400);
    assert.ok(answer.text.length < 2000, `${answer.text.length} characters`);
    return answer.json.error.details.fieldErrors;
  };

  it('is truncated to 64 characters: a field', async () => {
    const errors = fieldErrorsOf(await post({ ...least, ['x'.repeat(million)]: 1 }));
    assert.deepEqual(errors, { [`${'x'.repeat(64)}…`]: ['is not a known field'] });
    const whole = 'x'.repeat(64);
    assert.deepEqual(fieldErrorsOf(await post({ ...least, [whole]: 1 })), { [whole]: ['is not a known field'] });
  });

  it('is truncated to 64 characters: a field in an object or an item', async () => {
    const shown = `${'x'.repeat(64)}…`;
    const responseEngine = { ['x'.repeat(million)]: 1 };
    assert.deepEqual(fieldErrorsOf(await post({ ...least, responseEngine })), {
      responseEngine: [`${shown}: is not a known field`],
    });
    const pronunciationDictionary = [{ find: 'a', replace: 'b', ['x'.repeat(million)]: 1 }];
    assert.deepEqual(fieldErrorsOf(await post({ ...least, pronunciationDictionary })), {
      pronunciationDictionary: [`0.${shown}: is not a known field`],
    });
  });

  it('is truncated: one that cannot be stored, or whose value cannot', async () => {
    const shown = `${'x'.repeat(64)}…`;
    const agentSettings = { ['x'.repeat(million)]: '\0' };
    assert.deepEqual(fieldErrorsOf(await post({ ...least, agentSettings })), {
      agentSettings: [`${shown}: must not contain NUL characters`],
    });
    const name = `${'x'.repeat(million)}\0`;
    assert.deepEqual(fieldErrorsOf(await post({ ...least, agentSettings: { [name]: 1 } })), {
      agentSettings: [`"${'x'.repeat(48)}…": the name must not contain NUL characters`],
    });
  });

  it('is truncated to 64 characters: a parameter', async () => {
    const { key } = await service.newKey();
    const answer = await send(service, 'GET', `${path}?${'x'.repeat(10_000)}=1`, { key, headers: { prefer } });
    assert.deepEqual(fieldErrorsOf(answer), { [`${'x'.repeat(64)}…`]: ['is not a parameter of this operation'] });
  });

  it('is not truncated within a character', async () => {
    const errors = fieldErrorsOf(await post({ ...least, [`${'x'.repeat(63)}🙂${'x'.repeat(100)}`]: 1 }));
    assert.deepEqual(Object.keys(errors), [`${'x'.repeat(63)}…`]);
  });

  it('never makes a path longer than 256 characters, however deep it is', async () => {
    let agentSettings: unknown = '\0';
    for (let level = 0; level < 60; level += 1) agentSettings = { ['x'.repeat(10_000)]: agentSettings };
    const [message = ''] = fieldErrorsOf(await post({ ...least, agentSettings })).agentSettings ?? [];
    assert.match(message, /^x{64}….*…: must not contain NUL characters$/);
    assert.equal(message.indexOf(': '), 257);
  });
});
