import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { diff } from '../../../src/areas/agents/diff.ts';

describe('a diff', () => {
  const settings = (name: string, members: number, value: number) => ({
    agentSettings: {
      [name]: Object.fromEntries(Array.from({ length: members }, (_, member) => [`m${member}`, value])),
      other: value,
    },
  });

  it('lists each changed member', () => {
    const changes = diff(settings('many', 10_000, 1), settings('many', 10_000, 2));
    assert.equal(changes.length, 10_001);
    assert.deepEqual(changes[0], { op: 'replace', path: '/agentSettings/many/m0', from: 1, value: 2 });
  });

  it('is never much larger than the compared documents, however long their names are', () => {
    const name = 'n'.repeat(400_000);
    const [before, after] = [settings(name, 50_000, 1), settings(name, 50_000, 2)];
    const changes = diff(before, after);
    assert.deepEqual(
      changes.map(({ op, path }) => [op, path.length]),
      [
        ['replace', '/agentSettings/'.length + name.length],
        ['replace', '/agentSettings/other'.length],
      ],
    );
    const [whole] = changes;
    assert.ok(whole?.from === before.agentSettings[name] && whole?.value === after.agentSettings[name]);
  });
});
