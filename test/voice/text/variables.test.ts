import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  builtInVariables,
  currentTimeSentence,
  fill,
  maxFilledLength,
  roomBesides,
  usesCurrentTime,
  variableNames,
} from '../../../src/voice/text/variables.ts';
import { seed } from '../../support/seed.ts';

function filled(text: string, values: Record<string, string | number | boolean | null>) {
  const unknown: string[] = [];
  const result = fill(
    text,
    (name) => (Object.hasOwn(values, name) ? values[name] : undefined),
    (_code, message) => unknown.push(/variable (.*) has/.exec(message)?.[1] ?? message),
  );
  return { result, unknown };
}

/** Monday, 16 November 2026, 00:30 in Tokyo; still Sunday in UTC. */
const now = Date.UTC(2026, 10, 15, 15, 30);
const call = { now, timeZone: 'Asia/Tokyo', language: 'ja-JP', callId: 'call_1', agentName: '受付' };

describe('variables in a text', () => {
  it('are replaced with and without spaces around the name', () => {
    const { result } = filled('{{a}} {{ b }} {{\tc\n}}', { a: 'x', b: 2.5, c: true });
    assert.equal(result, 'x 2.5 true');
  });

  it('are empty where the value is null', () => {
    assert.equal(filled('a{{none}}b', { none: null }).result, 'ab');
  });

  it('stay visible where the name is unknown, which is reported once', () => {
    const { result, unknown } = filled('{{x}} {{ y }} {{x}}', {});
    assert.equal(result, '{{x}} {{ y }} {{x}}');
    assert.deepEqual(unknown, ['x', 'y']);
  });

  it('leave alone what is not a tag', () => {
    for (const text of ['{x}', '{{}}', '{{ }}', '{{x}', '{{x', '}}', '{ {x} }']) {
      assert.deepEqual(filled(text, { x: 1 }), { result: text, unknown: [] });
    }
  });

  it('are not replaced inside values, and values have no special characters', () => {
    assert.equal(filled('{{a}}{{b}}', { a: '{{b}}', b: '$&$1$$' }).result, '{{b}}$&$1$$');
    assert.equal(filled('{{{{a}}}}', { a: 'b', b: 'never' }).result, '{{b}}');
  });

  it('never make a text longer than 20,000 characters: a value is cut at the end of a sentence, with one warning', () => {
    const value = 'This is one sentence. '.repeat(700);
    const warnings: string[] = [];
    let lookups = 0;
    const result = fill(
      `Hello. ${'{{v}}'.repeat(2000)} Goodbye, {{name}}.`,
      (name) => {
        lookups += 1;
        return name === 'v' ? value : 'Taro';
      },
      (code) => warnings.push(code),
    );
    assert.ok(result.length <= maxFilledLength, `${result.length}`);
    assert.ok(result.length > maxFilledLength - 600, `${result.length}`);
    assert.match(result, /^Hello\. This is one sentence\. .*This is one sentence\. Goodbye, Taro\.$/s);
    assert.deepEqual(warnings, ['text_too_long']);
    assert.equal(lookups, 2, 'a value is looked up once for each name');
  });

  it('never cut what is written, and leave prompts room for 20,000 characters of values', () => {
    const written = `${'x'.repeat(100_000)}{{v}}${'y'.repeat(100_000)}`;
    const warn = () => {};
    const long = '長い文です。'.repeat(5000);
    assert.equal(fill(written, () => long, warn).replaceAll(/[^xy]/g, ''), written.replace('{{v}}', ''));
    const prompt = fill(written, () => long, warn, roomBesides());
    assert.ok(prompt.length > 219_000 && prompt.length <= 220_000, `${prompt.length}`);
    assert.match(prompt, /^x+(?:長い文です。)+y+$/);
  });

  it('are named in a warning as far as that is readable', () => {
    const { unknown } = filled(`{{${'n'.repeat(5000)}}}`, {});
    assert.deepEqual(unknown, [`${'n'.repeat(100)}…`]);
  });

  it('are replaced by any value exactly', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (before, value, after) => {
        const [start, end] = [before.replaceAll(/[{}]/g, ''), after.replaceAll(/[{}]/g, '')];
        assert.equal(filled(`${start}{{v}}${end}`, { v: value }).result, start + value + end);
      }),
      { seed },
    );
  });

  it('can be listed', () => {
    assert.deepEqual(variableNames('{{b}} {{ a }} {{b}} {{}} {{customer name}}'), ['b', 'a', 'customer name']);
  });

  it('take time in proportion to the text', () => {
    const before = process.cpuUsage();
    for (const unit of ['{{', '{{a', '{{ ', '}}']) filled(unit.repeat(50_000), {});
    assert.ok(process.cpuUsage(before).user < 2_000_000);
  });
});

describe('the variables that every call has', () => {
  it('are the date, the weekday in the language, the time and the zone at the start of the call', () => {
    assert.deepEqual(builtInVariables(call), {
      current_date: '2026-11-16',
      current_weekday: '月曜日',
      current_time: '00:30',
      time_zone: 'Asia/Tokyo',
      call_id: 'call_1',
      agent_name: '受付',
      direction: null,
      from_number: null,
      to_number: null,
    });
    const line = { from: null, to: '+81312345678', direction: 'inbound' } as const;
    const { direction, from_number, to_number } = builtInVariables({ ...call, line });
    assert.deepEqual([direction, from_number, to_number], ['inbound', null, '+81312345678']);
    const { current_date, current_weekday, current_time } = builtInVariables({
      ...call,
      timeZone: 'UTC',
      language: 'en',
    });
    assert.deepEqual([current_date, current_weekday, current_time], ['2026-11-15', 'Sunday', '15:30']);
  });

  it('have Gregorian dates and Latin digits in every language', () => {
    for (const language of ['th-TH', 'ar-EG', 'fa-IR', 'ja-JP-u-ca-japanese']) {
      assert.equal(builtInVariables({ ...call, language }).current_date, '2026-11-16', language);
    }
  });

  it('exist for an invalid language and an unknown time zone, too', () => {
    const variables = builtInVariables({ ...call, language: 'not a tag!', timeZone: 'Mars/Olympus' });
    assert.equal(variables.current_weekday, 'Sunday');
    assert.equal(variables.time_zone, 'UTC');
  });

  it('are stated in a sentence for prompts that do not use them', () => {
    assert.equal(currentTimeSentence(call), '現在の日時は2026-11-16（月曜日）00:30、タイムゾーンはAsia/Tokyoです。');
    assert.equal(
      currentTimeSentence({ ...call, language: 'fr' }),
      'The current date and time is Monday, 2026-11-16, 00:30, in the time zone Asia/Tokyo.',
    );
    assert.ok(usesCurrentTime('Today is {{ current_date }}.'));
    assert.ok(!usesCurrentTime('{{agent_name}} {{call_id}} current_date'));
  });
});
