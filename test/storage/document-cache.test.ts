import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bufferOf, JoinedPieces } from '../../src/pieces.ts';
import { DocumentCache } from '../../src/storage/document-cache.ts';

const mebibyte = 1024 * 1024;
const textOf = (cache: DocumentCache, owner: string, id: string) => cache.get(owner, id)?.bytes().toString();

describe('the cache of documents', () => {
  it('gives back what was put in, to its owner alone', () => {
    const cache = new DocumentCache(mebibyte);
    cache.addText('one', 'a', '{"name":"銀座店 ☎️"}', '"tag"');
    cache.addBytes('two', 'b', Buffer.from('{"name":"b"}'));
    assert.equal(textOf(cache, 'one', 'a'), '{"name":"銀座店 ☎️"}');
    assert.equal(cache.get('one', 'a')?.etag, '"tag"');
    assert.equal(textOf(cache, 'two', 'b'), '{"name":"b"}');
    assert.equal(cache.get('two', 'b')?.etag, null);
    assert.equal(cache.get('two', 'a'), undefined);
    assert.equal(cache.get('one', 'c'), undefined);
  });

  it('has the newest of a document, and none that was taken out', () => {
    const cache = new DocumentCache(mebibyte);
    cache.addText('one', 'a', 'old', '"1"');
    cache.addText('one', 'a', 'new', '"2"');
    assert.equal(textOf(cache, 'one', 'a'), 'new');
    cache.remove('a');
    assert.equal(cache.get('one', 'a'), undefined);
    cache.addText('one', 'b', 'b', '"1"');
    cache.clear();
    assert.equal(cache.get('one', 'b'), undefined);
  });

  it('lets those go first that came first, and keeps to its size', () => {
    const cache = new DocumentCache(3 * mebibyte);
    const document = 'x'.repeat(10_000);
    for (let number = 0; number < 1000; number += 1) cache.addBytes('one', String(number), Buffer.from(document));
    const left = Array.from({ length: 1000 }, (_, number) => number).filter((number) =>
      cache.get('one', String(number)),
    );
    assert.ok(left.length > 200 && left.length <= (3 * mebibyte) / 10_000, String(left.length));
    assert.deepEqual(
      left,
      Array.from({ length: left.length }, (_, index) => 1000 - left.length + index),
    );
  });

  it('keeps what was read again when its first place is given up', () => {
    const cache = new DocumentCache(2 * mebibyte);
    const fill = (from: number) => {
      for (let number = from; number < from + 90; number += 1)
        cache.addBytes('one', `filler ${number}`, Buffer.alloc(10_000, 'x'));
    };
    cache.addText('one', 'a', 'first', '"1"');
    fill(0);
    cache.addText('one', 'a', 'again', '"1"');
    fill(100);
    assert.equal(textOf(cache, 'one', 'a'), 'again');
  });

  it('does not hand out the bytes of others for those that are gone', () => {
    const cache = new DocumentCache(mebibyte);
    cache.addText('one', 'a', 'gone', '"1"');
    const document = cache.get('one', 'a');
    for (let number = 0; number < 300; number += 1) cache.addBytes('one', String(number), Buffer.alloc(10_000, 'x'));
    assert.equal(cache.get('one', 'a'), undefined);
    assert.throws(() => document?.bytes(), /too late/);
    assert.throws(() => document?.copy(Buffer.alloc(100), 0), /too late/);
  });

  it('takes in all while it has room, and then some', () => {
    const cache = new DocumentCache(2 * mebibyte);
    const admitted = () => Array.from({ length: 40 }, () => cache.admits()).filter((isAdmitted) => isAdmitted).length;
    assert.equal(admitted(), 40);
    for (let number = 0; number < 300; number += 1) cache.addBytes('one', String(number), Buffer.alloc(10_000, 'x'));
    assert.equal(admitted(), 10);
  });

  it('does not take in what is long', () => {
    const cache = new DocumentCache(mebibyte);
    cache.addBytes('one', 'a', Buffer.alloc(100_000, 'x'));
    cache.addText('one', 'b', '長'.repeat(60_000), '"1"');
    assert.equal(cache.get('one', 'a'), undefined);
    assert.equal(cache.get('one', 'b'), undefined);
  });
});

describe('pieces', () => {
  it('are joined with what stands between them', () => {
    const cache = new DocumentCache(mebibyte);
    cache.addText('one', 'a', '{"a":"あ"}', '"1"');
    const document = cache.get('one', 'a');
    assert.ok(document);
    const joined = new JoinedPieces([document, Buffer.from('{}'), document], ',');
    assert.equal(bufferOf([Buffer.from('['), joined, Buffer.from(']')]).toString(), '[{"a":"あ"},{},{"a":"あ"}]');
    assert.equal(bufferOf([new JoinedPieces([], ',')]).toString(), '');
    assert.equal(new JoinedPieces([document], ',').length, document.length);
  });
});
