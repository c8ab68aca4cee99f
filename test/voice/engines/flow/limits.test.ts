import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { maxVariableBytes } from '../../../../src/contract/calls/values.ts';
import { maxReplyCharacters } from '../../../../src/voice/engines/engine.ts';
import { PhoneCall } from './phone-call.ts';

const codes = ({ warnings }: PhoneCall) => warnings.map((warning) => warning.split(':')[0]);
const bye = { id: 'bye', type: 'end', text: 'Bye.' };

describe('a flow whose texts grow with their values', () => {
  it('sets no variable beyond the limits, however often values contain others', () => {
    const manyOf = (name: string) => `{{${name}}}`.repeat(400);
    const skills = [
      { id: 'a', type: 'set', variables: { a: 'x'.repeat(1000), b: manyOf('a') }, next: 'c' },
      {
        id: 'c',
        type: 'set',
        variables: Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`c${index}`, manyOf('b')])),
        next: 'bye',
      },
      { ...bye, text: manyOf('b') },
    ];
    const call = new PhoneCall({ skills }, { language: 'en' });
    call.open();
    const collected = call.engine.collected();
    assert.deepEqual([collected.a, collected.b], ['x'.repeat(1000), undefined]);
    assert.ok(JSON.stringify(collected).length <= maxVariableBytes);
    assert.equal(call.ended, 'by the agent');
    // One for b, and one for all that its skill could not set.
    assert.equal(codes(call).filter((code) => code === 'variable_not_set').length, 2);
  });

  it('says at most 20,000 characters in a reply, whole sentences, with a warning', () => {
    const says = Array.from({ length: 48 }, (_, index) => ({
      id: `s${index}`,
      type: 'say',
      text: '{{v}}'.repeat(400),
      next: index === 47 ? 'bye' : `s${index + 1}`,
    }));
    const call = new PhoneCall(
      { skills: [...says, bye] },
      { language: 'en', variables: { v: 'This is a sentence. '.repeat(800) } },
    );
    const said = call.open();
    assert.ok(said.length <= maxReplyCharacters && said.length > maxReplyCharacters - 1000, `${said.length}`);
    assert.match(said, /This is a sentence\.$/);
    assert.equal(call.ended, 'by the agent');
    assert.ok(codes(call).every((code) => code === 'text_too_long') && call.warnings.length > 0);
  });

  it('fills no text after the one that was cut', () => {
    const skills = [
      { id: 'long', type: 'say', text: '{{v}}{{v}}', next: 'next' },
      { id: 'next', type: 'say', text: 'Then {{unknown}}.', next: 'bye' },
      bye,
    ];
    const call = new PhoneCall({ skills }, { language: 'en', variables: { v: 'This is a sentence. '.repeat(800) } });
    assert.doesNotMatch(call.open(), /Then/);
    assert.deepEqual(codes(call), ['text_too_long']);
  });

  it('says a begin message of at most 20,000 characters', () => {
    const call = new PhoneCall(
      { skills: [bye] },
      { language: 'en', beginMessage: '{{v}}'.repeat(2000), variables: { v: 'y'.repeat(16_000) } },
    );
    assert.ok(call.open().length <= maxReplyCharacters);
    assert.equal(codes(call)[0], 'text_too_long');
  });

  it('sends a tool arguments whose values have at most 20,000 characters in total', () => {
    const values = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`v${index}`, '{{v}}']));
    const tool = { id: 'book', type: 'tool', tool: 'book', arguments: { ...values, n: '{{n}}' }, ...ways };
    const call = new PhoneCall({ skills: [tool, bye] }, { variables: { v: 'z'.repeat(16_000), n: 3 } });
    call.open();
    const [sent] = call.tools;
    assert.ok(JSON.stringify(sent).length < 25_000, `${JSON.stringify(sent).length}`);
    assert.equal(sent?.arguments.n, 3);
    assert.deepEqual(codes(call), ['text_too_long']);
  });

  it('does not set what a tool returns, or a caller says, beyond the limits', () => {
    const tool = { id: 'look', type: 'tool', tool: 'look', arguments: {}, next: 'ask', otherwise: 'bye' };
    const ask = { id: 'ask', type: 'ask', text: '?', variable: 'words', as: 'text', ...ways };
    const returned = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`r${index}`, index]));
    const call = new PhoneCall(
      { skills: [tool, ask, bye] },
      { language: 'en', tools: { look: () => ({ isError: false, result: { variables: returned } }) } },
    );
    call.open();
    assert.equal(Object.keys(call.engine.collected()).length, 100);
    assert.deepEqual(call.engine.setVariables({ r0: 'changed', other: 1 }), ['other']);
    call.say('I say this. '.repeat(800));
    assert.equal('words' in call.engine.collected(), false);
    assert.ok(JSON.stringify(call.engine.collected()).length <= maxVariableBytes);
    assert.deepEqual(codes(call), ['variable_not_set', 'variable_not_set']);
    assert.equal(call.ended, 'by the agent');
  });
});

const ways = { next: 'bye', otherwise: 'bye' };
