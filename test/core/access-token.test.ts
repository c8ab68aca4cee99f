import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { crc32 } from 'node:zlib';
import { createAccessTokens } from '../../src/core/access-token.ts';

const keys = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const token = {
  callId: 'call_01m7f8np1p0000f5kznwj47tan9zt2',
  workspaceId: 'ws_01m7f8nje00000m9s346q3d25vt4f5',
  keyId: 'key_01m7f8nje00000m9s346q3d25vt4f5',
  tokenId: 'tok_01m7f8nje00000m9s346q3d25vt4f5',
  number: 3,
  expiresAt: 1_794_735_000_000,
  origins: ['https://shop.example.com', 'http://localhost:5173'],
};

describe('an access token', () => {
  const tokens = createAccessTokens(keys);
  const text = tokens.issue(token);

  it('is read as it was issued', () => {
    assert.deepEqual(tokens.read(text), token);
    assert.deepEqual(tokens.read(tokens.issue({ ...token, origins: [] })), { ...token, origins: [] });
  });

  it('consists of characters that need no escaping in headers and subprotocols', () => {
    assert.match(text, /^vat_[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{49}$/);
  });

  it('ends with a checksum of everything after the prefix', () => {
    const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
    const sum = [...text.slice(-6)].reduce((value, digit) => value * 62 + alphabet.indexOf(digit), 0);
    assert.equal(sum, crc32(text.slice(4, -6)));
  });

  it('is refused if any one of its characters is changed, removed or added', () => {
    for (let place = 0; place < text.length; place += 1) {
      const [start, end] = [text.slice(0, place), text.slice(place + 1)];
      for (const other of ['A', 'b', '0', '-', '.', '']) {
        if (other === text[place]) continue;
        assert.equal(tokens.read(start + other + end), undefined, `character ${place} as "${other}"`);
      }
      assert.equal(tokens.read(`${start}x${text.slice(place)}`), undefined);
    }
    for (const other of ['', 'vat_', 'vat_.', `${text}x`, `${text} `, text.toUpperCase()])
      assert.equal(tokens.read(other), undefined);
  });

  it('is refused if its checksum is right but its signature is not', () => {
    const forged = createAccessTokens([Buffer.alloc(32, 3)]).issue(token);
    assert.equal(tokens.read(forged), undefined);
  });

  it('stays valid when a new data key is added, and becomes invalid when its own is removed', () => {
    const older = createAccessTokens([keys[1] as Buffer]).issue(token);
    assert.deepEqual(tokens.read(older), token);
    assert.equal(createAccessTokens([keys[0] as Buffer]).read(older), undefined);
  });
});
