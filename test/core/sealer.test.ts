import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { createSealer, dataKeyDigest } from '../../src/core/sealer.ts';

describe('a sealer', () => {
  const [key, other] = [randomBytes(32), randomBytes(32)];
  const sealer = createSealer([key]);

  it('opens what it has sealed, for the same row only', () => {
    const sealed = sealer.seal('なまえ', 'row 1');
    assert.equal(String(sealer.open(sealed, 'row 1')), 'なまえ');
    assert.throws(() => sealer.open(sealed, 'row 2'));
  });

  it('never seals the same twice, and does not contain the text', () => {
    const [one, two] = [sealer.seal('the text', 'row'), sealer.seal('the text', 'row')];
    assert.notDeepEqual(one, two);
    assert.ok(!one.includes('the text'));
  });

  it('detects every changed byte and every missing one', () => {
    const sealed = sealer.seal('text', 'row');
    for (let place = 0; place < sealed.length; place += 1) {
      const changed = Buffer.from(sealed);
      changed.writeUInt8((changed.readUInt8(place) + 1) % 256, place);
      assert.throws(() => sealer.open(changed, 'row'), `byte ${place}`);
      assert.throws(() => sealer.open(sealed.subarray(0, place), 'row'), `${place} bytes`);
    }
  });

  it('opens with each of its keys, and seals with the first', () => {
    const both = createSealer([other, key]);
    assert.equal(String(both.open(sealer.seal('text', 'row'), 'row')), 'text');
    const sealed = both.seal('text', 'row');
    assert.equal(String(createSealer([other]).open(sealed, 'row')), 'text');
    assert.throws(() => sealer.open(sealed, 'row'), /unknown key/);
    assert.ok(sealed.subarray(0, both.currentStart.length).equals(both.currentStart));
    assert.notDeepEqual(both.currentStart, sealer.currentStart);
  });

  it('derives a different key for each purpose and each data key', () => {
    assert.deepEqual(sealer.derive('one'), createSealer([key, other]).derive('one'));
    const all = [sealer.derive('one'), sealer.derive('two'), createSealer([other]).derive('one'), key];
    assert.equal(new Set(all.map(String)).size, 4);
    assert.deepEqual(createSealer([other, key]).deriveEach('one'), [all[2], all[0]]);
    assert.notEqual(dataKeyDigest(key), dataKeyDigest(other));
  });
});
