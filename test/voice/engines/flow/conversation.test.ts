import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ToolResult } from '../../../../src/voice/tools/tool.ts';
import { PhoneCall } from './phone-call.ts';
import { salonFlow } from './salon-flow.ts';

const ok = (result: unknown): (() => ToolResult) => {
  return () => ({ isError: false, result });
};
const bye = { id: 'bye', type: 'end', text: 'さようなら。' };
const person = { id: 'person', type: 'end', text: '担当者に代わります。' };

function ask(fields: object) {
  return {
    id: 'q',
    type: 'ask',
    text: '質問です。',
    variable: 'x',
    as: 'text',
    next: 'bye',
    otherwise: 'person',
    ...fields,
  };
}

describe('the salon', () => {
  it('takes a booking, speaks values and gives tools what is stored', () => {
    const call = new PhoneCall(salonFlow, { tools: { book: ok({}) } });
    assert.equal(call.open(), 'お電話ありがとうございます。ご予約ですか、変更ですか。');
    assert.equal(call.say('予約をお願いします'), 'ご希望の日はいつですか。');
    assert.equal(call.say('12月24日です'), '12月24日の何時がよろしいですか。');
    assert.equal(call.say('15時でお願いします'), '12月24日の午後3時でよろしいですか。');
    assert.equal(call.say('はい'), '承りました。お待ちしております。');
    assert.deepEqual(call.tools, [{ name: 'book', arguments: { day: '2026-12-24', hour: '15:00' } }]);
    assert.deepEqual(call.engine.collected(), { day: '2026-12-24', hour: '15:00', ok: true });
    assert.equal(call.ended, 'by the agent');
  });

  it('returns to the day if the caller says no', () => {
    const call = new PhoneCall(salonFlow);
    call.open();
    call.say('予約');
    call.say('12月24日');
    call.say('15時');
    assert.equal(call.say('いいえ'), 'ご希望の日はいつですか。');
  });

  it('does not ask for a time that came with the day', () => {
    const call = new PhoneCall(salonFlow);
    call.open();
    call.say('予約');
    assert.equal(call.say('12月24日の15時で'), '12月24日の午後3時でよろしいですか。');
    assert.deepEqual(call.engine.collected(), { day: '2026-12-24', hour: '15:00' });
  });

  it('reads a day back that came with the request', () => {
    const call = new PhoneCall(salonFlow);
    call.open();
    // It may be the day of something else, so it is not taken for the answer.
    assert.equal(call.say('12月24日に予約したいです'), '12月24日ですね。よろしいですか。');
    assert.deepEqual(call.engine.collected(), {});
    assert.equal(call.say('はい'), '12月24日の何時がよろしいですか。');
    assert.deepEqual(call.engine.collected(), { day: '2026-12-24' });
    const other = new PhoneCall(salonFlow);
    other.open();
    other.say('12月24日に予約したいです');
    assert.equal(other.say('いいえ、12月25日です'), '12月25日ですね。よろしいですか。');
  });

  it('gives the caller the moment that they ask for, and uses no retry', () => {
    const call = new PhoneCall(salonFlow);
    call.open();
    call.say('予約');
    for (const words of ['えっと、ちょっと待ってください', '今手帳を見ますので、少々お待ちください', '待って']) {
      assert.equal(call.say(words), 'はい、お待ちしております。');
    }
    assert.equal(call.say('12月24日です'), '12月24日の何時がよろしいですか。');
  });

  it('takes a phrase of the author for what it says', () => {
    const routes = [{ when: ['待って'], next: 'bye' }];
    const menu = { id: 'q', type: 'choose', text: '質問です。', routes, otherwise: 'person' };
    const call = new PhoneCall({ skills: [menu, bye, person] });
    call.open();
    assert.equal(call.say('ちょっと待ってください'), 'さようなら。');
  });

  it('calls otherwise if the tool fails', () => {
    const call = new PhoneCall(salonFlow);
    call.open();
    for (const words of ['予約', '12月24日', '15時']) call.say(words);
    assert.equal(call.say('はい'), '担当者から折り返しお電話いたします。');
  });

  it('repeats the last question without using a retry, and leaves for a person, at any time', () => {
    const call = new PhoneCall(salonFlow);
    call.open();
    call.say('予約');
    for (let times = 0; times < 5; times += 1) assert.equal(call.say('もう一度'), 'ご希望の日はいつですか。');
    assert.equal(call.say('担当者に代わってください'), '担当者から折り返しお電話いたします。');
    assert.equal(call.ended, 'by the agent');
  });

  it('repeats its last question as a reminder, and nothing else changes', () => {
    const call = new PhoneCall(salonFlow);
    call.open();
    call.say('予約');
    const before = call.engine.state();
    assert.equal(call.remind(), 'ご希望の日はいつですか。');
    assert.deepEqual(call.engine.state(), before);
  });
});

describe('an answer that is not understood', () => {
  it('is asked for again with the retry text, as often as it says, then otherwise follows', () => {
    const call = new PhoneCall(salonFlow);
    call.open();
    assert.equal(call.say('えっと'), 'ご予約か変更か、お聞かせください。');
    assert.equal(call.say('うーん'), 'ご予約か変更か、お聞かせください。');
    assert.equal(call.say('えっと'), '担当者から折り返しお電話いたします。');
  });

  it('is never asked for again in the same words', () => {
    const call = new PhoneCall({ skills: [ask({ as: 'date' }), bye, person] });
    const texts = [call.open(), call.say('さあ'), call.say('さあ')];
    assert.deepEqual(texts, [
      '質問です。',
      '恐れ入ります、もう一度お願いいたします。質問です。',
      '申し訳ございません、うまく聞き取れませんでした。質問です。',
    ]);
    assert.equal(call.remind(), '質問です。', 'a reminder does not apologize');
    assert.equal(call.say('さあ'), '担当者に代わります。');
  });

  it('goes to otherwise at once if there is no retry', () => {
    const call = new PhoneCall({ skills: [ask({ as: 'date', retry: { max: 0 } }), bye, person] });
    call.open();
    assert.equal(call.say('さあ'), '担当者に代わります。');
  });
});

describe('a read-back', () => {
  const flow = (fields: object) => ({ skills: [ask({ confirm: true, ...fields }), bye, person] });

  it('sets the variable only on yes', () => {
    const call = new PhoneCall(flow({ as: 'time' }));
    call.open();
    assert.equal(call.say('14時です'), '午後2時ですね。よろしいですか。');
    assert.deepEqual(call.engine.collected(), {});
    assert.equal(call.say('はい'), 'さようなら。');
    assert.deepEqual(call.engine.collected(), { x: '14:00' });
  });

  it('takes the correction that follows a no, and reads that back', () => {
    const call = new PhoneCall(flow({ as: 'time' }));
    call.open();
    call.say('14時です');
    assert.equal(call.say('いいえ、15時です'), '午後3時ですね。よろしいですか。');
    assert.equal(call.say('14時じゃなくて16時です'), '午後4時ですね。よろしいですか。');
    assert.equal(call.say('はい、大丈夫です'), 'さようなら。');
    assert.deepEqual(call.engine.collected(), { x: '16:00' });
  });

  it('asks again after a no, then reads the second value character by character', () => {
    const call = new PhoneCall(flow({ as: 'digits' }));
    call.open();
    assert.equal(call.say('1234'), '1234ですね。よろしいですか。');
    assert.equal(call.say('いいえ'), '失礼いたしました。もう一度お願いいたします。質問です。');
    assert.equal(call.say('1235'), 'イチ、ニ、サン、ゴですね。よろしいですか。');
    assert.equal(call.say('はい'), 'さようなら。');
  });

  it('is repeated if the answer is neither yes nor no, and every no and every unclear answer uses a retry', () => {
    const call = new PhoneCall(flow({ as: 'time' }));
    call.open();
    call.say('14時です');
    assert.equal(call.say('さあ'), '午後2時ですね。よろしいですか。');
    assert.equal(call.say('いいえ'), '失礼いたしました。もう一度お願いいたします。質問です。');
    call.say('15時です');
    assert.equal(call.say('いいえ'), '担当者に代わります。');
    assert.deepEqual(call.engine.collected(), {});
  });

  it('takes the same value again for a yes, and free text only after a no', () => {
    const time = new PhoneCall(flow({ as: 'time' }));
    time.open();
    time.say('14時です');
    assert.equal(time.say('14時です'), 'さようなら。');
    const text = new PhoneCall(flow({ as: 'text' }));
    text.open();
    text.say('山田');
    assert.equal(text.say('さあどうでしょう'), '山田ですね。よろしいですか。');
    assert.equal(text.say('いいえ、山本です'), '山本ですね。よろしいですか。');
  });
});

describe('an answer to a read-back', () => {
  const heard = (language: string, as: string, value: string, answer: string): string => {
    const call = new PhoneCall({ skills: [ask({ as, confirm: true }), bye, person] }, { language });
    call.open();
    call.say(value);
    return call.say(answer);
  };

  it('is a yes in the words in which people agree', () => {
    for (const words of ['はい', '大丈夫です', 'はい、大丈夫です', 'それで結構です', 'そうです', 'はい、14時です']) {
      assert.equal(heard('ja', 'time', '14時', words), 'さようなら。', words);
    }
    for (const words of ['yes', 'that’s right', 'No problem', 'correct', 'sounds good', '2 pm']) {
      assert.equal(heard('en', 'time', '2 pm', words), 'さようなら。', words);
    }
  });

  it('is a no in the words in which people disagree', () => {
    for (const words of ['いいえ', '違います', 'いえ、違います', 'それじゃ大丈夫じゃないです']) {
      assert.doesNotMatch(heard('ja', 'time', '14時', words), /さようなら/, words);
    }
    assert.match(heard('ja', 'time', '14時', '違います'), /^失礼いたしました。/);
    assert.match(heard('en', 'time', '2 pm', 'no, that’s wrong'), /^My apologies\./);
  });

  it('may correct the value in a sentence', () => {
    assert.equal(heard('en', 'time', '2 pm', 'no, 3 pm please'), '3 PM, is that right?');
    assert.equal(heard('en', 'date', 'tomorrow', 'No, I meant December 24th'), 'December 24th, is that right?');
    assert.equal(heard('ja', 'number', '2人です', '違います、3人です'), '3ですね。よろしいですか。');
    assert.equal(heard('en', 'text', 'Taylor', 'No, Tailor with an i'), 'Tailor with an i, is that right?');
  });
});

describe('texts', () => {
  it('use what was collected, then the variables of the call, then those of the agent', () => {
    const say = { id: 'hello', type: 'say', text: '{{a}}{{b}}{{c}}', next: 'set' };
    const set = { id: 'set', type: 'set', variables: { a: '3', d: '{{n}}', e: '{{n}}個' }, next: 'bye' };
    const flow = { skills: [say, set, { id: 'bye', type: 'end', text: '{{a}}{{b}}{{d}}{{unknown}}' }] };
    const call = new PhoneCall(flow, {
      variables: { a: '2', b: '2' },
      agentVariables: { a: '1', b: '1', c: '1', n: 5 },
    });
    assert.equal(call.open(), '22132' + '5{{unknown}}');
    assert.deepEqual(call.engine.collected(), { a: '3', d: 5, e: '5個' });
    assert.deepEqual(call.warnings, ['unknown_variable: the variable unknown has no value']);
  });

  it('say the name of a choice, and tools get its value', () => {
    const options = [
      { value: 'cut', say: ['カット'] },
      { value: 'perm', say: ['パーマ'] },
    ];
    const tool = {
      id: 'bye',
      type: 'tool',
      tool: 't',
      arguments: { menu: '{{x}}', list: ['{{x}}様', 1] },
      next: 'end',
      otherwise: 'end',
    };
    const end = { id: 'end', type: 'end', text: '{{x}}ですね。' };
    const call = new PhoneCall({ skills: [ask({ as: 'choice', options }), tool, end, person] });
    call.open();
    assert.equal(call.say('カットでお願いします'), 'カットですね。');
    assert.deepEqual(call.tools[0]?.arguments, { menu: 'cut', list: ['cut様', 1] });
  });

  it('that may not be interrupted say so', () => {
    const say = { id: 'hello', type: 'say', text: '録音しています。', interruptible: false, next: 'bye' };
    const call = new PhoneCall({ skills: [say, bye] });
    assert.equal(call.open(), '録音しています。さようなら。');
    assert.deepEqual(call.uninterruptible, ['録音しています。']);
  });

  it('are separated by a space where the language has spaces', () => {
    const flow = {
      skills: [
        { id: 'a', type: 'say', text: 'Hello.', next: 'b' },
        { id: 'b', type: 'end', text: 'Bye.' },
      ],
    };
    assert.equal(new PhoneCall(flow, { language: 'en-US' }).open(), 'Hello. Bye.');
  });
});

describe('tools', () => {
  const flow = {
    skills: [
      {
        id: 'find',
        type: 'tool',
        tool: 'find',
        arguments: {},
        say: '確認いたします。',
        next: 'check',
        otherwise: 'person',
      },
      {
        id: 'check',
        type: 'branch',
        routes: [{ if: { field: 'collectedVariables.found', op: 'eq', value: true }, next: 'bye' }],
        otherwise: 'person',
      },
      bye,
      person,
    ],
  };

  it('set the variables in their result, of which a branch takes the first route that matches', () => {
    const found = new PhoneCall(flow, { tools: { find: ok({ variables: { found: true, list: [1] } }) } });
    assert.equal(found.open(), 'さようなら。');
    assert.deepEqual(found.engine.collected(), { found: true });
    assert.equal(found.tools[0]?.say, '確認いたします。');
    const missing = new PhoneCall(flow, { tools: { find: ok('nothing') } });
    assert.equal(missing.open(), '担当者に代わります。');
  });
});

describe('a flow', () => {
  it('fails after 50 skills without listening', () => {
    const loop = {
      skills: [
        { id: 'a', type: 'say', text: 'あ', next: 'b' },
        { id: 'b', type: 'set', variables: {}, next: 'a' },
      ],
    };
    const call = new PhoneCall(loop);
    assert.equal(call.open(), 'あ'.repeat(25));
    assert.equal(call.ended, 'as failed');
  });

  it('starts at startSkillId', () => {
    assert.equal(new PhoneCall(salonFlow, { startSkillId: 'change' }).open(), 'お電話番号をお願いします。');
  });

  it('says the begin message before its first skill speaks', () => {
    const call = new PhoneCall(salonFlow, { beginMessage: '{{shop}}です。', agentVariables: { shop: '銀座店' } });
    assert.equal(call.open(), '銀座店です。お電話ありがとうございます。ご予約ですか、変更ですか。');
  });

  it('takes the words of a caller who speaks first as the answer to its first question', () => {
    const call = new PhoneCall(salonFlow, { beginMessage: '' });
    assert.equal(call.say('予約したいのですが'), 'ご希望の日はいつですか。');
    const unclear = new PhoneCall(salonFlow, { beginMessage: '' });
    assert.equal(unclear.say('もしもし'), 'お電話ありがとうございます。ご予約ですか、変更ですか。');
    unclear.say('さあ');
    assert.equal(unclear.say('さあ'), 'ご予約か変更か、お聞かせください。', 'the first question used no retry');
    const say = { skills: [{ id: 'a', type: 'say', text: 'こんにちは。', next: 'q' }, ask({}), bye, person] };
    assert.equal(new PhoneCall(say, { beginMessage: '' }).say('もしもし'), 'こんにちは。質問です。');
  });
});
