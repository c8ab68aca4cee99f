import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { VirtualClock } from '../../../src/voice/clock.ts';
import { type AnsweredBy, Voicemail, type VoicemailOptions } from '../../../src/voice/spoken/voicemail.ts';
import { greeterOf } from '../../../src/voice/spoken/voicemail-phrases.ts';
import { type Phone, phones, toneOf } from './phones.ts';
import { SpokenCall, script } from './spoken-call.ts';

const hangUp: VoicemailOptions = { detect: 'audio', action: 'hangup', message: '' };
const leave: VoicemailOptions = { detect: 'audio', action: 'message', message: 'Please call us back.' };

function dialed(options: VoicemailOptions, fields: Parameters<typeof script>[0] | null = 'Hello, this is Ada.') {
  const agent = fields === null ? script('Yes.') : { ...script('I see.'), beginMessage: fields };
  return new SpokenCall({ ...agent, endCallAfterSilenceMs: 600_000 }, { parts: { voicemail: options } });
}

function answer(call: SpokenCall, { delayMs, sentences, beep }: Phone): SpokenCall {
  call.silence(delayMs);
  for (const { words, framesPerWord, pauseMs } of sentences) call.speak(words, framesPerWord).silence(pauseMs);
  return beep === null ? call : call.sound(toneOf(beep));
}

const verdicts = (call: SpokenCall) => call.eventsOf('answered_by').map(({ by, source }) => [by, source]);

describe('Who answers a call', () => {
  it('is told apart: at most 2 of 200 phones are wrong', () => {
    const wrong = phones(200).filter((phone) => {
      const call = answer(
        new SpokenCall(
          {
            ...script('I see.'),
            beginMessage: 'Hello, this is Ada.',
            language: phone.language,
            endCallAfterSilenceMs: 600_000,
          },
          { parts: { voicemail: hangUp } },
        ),
        phone,
      );
      call.until(() => verdicts(call).length > 0, 12_000);
      assert.equal(call.end?.reason, verdicts(call)[0]?.[0] === 'machine' ? 'voicemail' : undefined);
      return verdicts(call)[0]?.[0] !== phone.by;
    });
    const list = wrong.map(
      ({ by, sentences }) => `${by}: ${sentences.map(({ words }) => words.join(' ')).join(' | ')}`,
    );
    assert.ok(wrong.length <= 2, list.join('\n'));
  });

  it('is a voicemail by its words, as soon as they are recognized', () => {
    const call = dialed(hangUp).silence(300).speak('please leave a message after the tone', 5).wait(1200);
    assert.deepEqual([verdicts(call), call.end?.reason], [[['machine', 'audio']], 'voicemail']);
    assert.ok(
      ['お留守番電話サービス', 'Ｌｅａｖｅ a message'].every(
        (words, index) => greeterOf(words, index === 0 ? 'ja' : 'en') === 'machine',
      ),
    );
  });

  it('is a voicemail if it speaks for 2,400 ms without a pause, and not with one', () => {
    const long = dialed(hangUp).speak(['', '', '', '', ''], 24).wait(2380);
    assert.equal(long.end, null);
    assert.equal(long.wait(60).end?.reason, 'voicemail');
    const paused = dialed(hangUp).speak(['', ''], 50).silence(320).speak(['', ''], 50).wait(7900);
    assert.deepEqual([verdicts(paused), paused.end], [[], null]);
    assert.deepEqual(verdicts(paused.wait(200)), [['human', 'audio']]);
  });

  it('is a person if they talk at length after a pause', () => {
    const call = dialed(hangUp).speak('hello').silence(400).speak(['', '', '', '', '', ''], 30).wait(8200);
    assert.deepEqual(verdicts(call), [['human', 'audio']]);
  });

  it('is unknown if nothing is heard, and a fax if there is a long tone', () => {
    assert.deepEqual(verdicts(dialed(hangUp).wait(8100)), [['unknown', 'audio']]);
    const fax = dialed({ ...hangUp, action: 'continue' })
      .sound(toneOf({ hz: 2080, ms: 3000 }))
      .wait(3500);
    assert.deepEqual([verdicts(fax), fax.end?.reason], [[['fax', 'audio']], 'voicemail']);
  });

  it('is what the carrier says, if it comes first', () => {
    const by = (first: AnsweredBy, then: AnsweredBy) => {
      const call = dialed({ ...hangUp, detect: 'carrier', action: 'continue' }).wait(2000);
      call.session.answeredBy(first);
      call.session.answeredBy(then);
      return verdicts(call.wait(30_000));
    };
    assert.deepEqual(by('human', 'machine'), [['human', 'carrier']]);
    assert.deepEqual(by('unknown', 'machine'), [['machine', 'carrier']]);
    // Its verdict may come after everything that can be heard.
    const late = dialed({ ...hangUp, detect: 'carrier' })
      .speak('hello')
      .wait(20_000);
    assert.deepEqual(verdicts(late), []);
    late.session.answeredBy('machine');
    assert.equal(late.end?.reason, 'voicemail');
  });

  it('is not asked in calls without the setting, or in a call that goes on in another process', () => {
    const call = new SpokenCall(script('Yes.')).speak('leave a message after the tone').wait(9000);
    assert.deepEqual([verdicts(call), call.end], [[], null]);
    const resumed = { isOpening: false, words: null, unsaid: [], endsAfterSpeech: 'no', idleTimers: [] } as const;
    const later = new SpokenCall(script('Yes.'), { parts: { voicemail: hangUp, resumed } });
    assert.deepEqual(verdicts(later.speak('leave a message').wait(9000)), []);
  });
});

describe('A message on a voicemail', () => {
  const greeting = 'you have reached the Millers we are not at home';
  const said = (call: SpokenCall) => call.turns.filter(({ role }) => role === 'agent').map(({ text }) => text);

  it('is said after the tone, and ends the call', () => {
    const call = dialed(leave)
      .silence(200)
      .speak(greeting)
      .silence(800)
      .sound(toneOf({ hz: 1000, ms: 400 }));
    call.until(() => call.end !== null);
    assert.deepEqual([verdicts(call), call.end?.reason], [[['machine', 'audio']], 'voicemail']);
    assert.equal(said(call).at(-1), 'Please call us back.');
    const start = call.commandTimes('say').at(-1) ?? 0;
    // 200 ms, ten words of 200 ms, 800 ms and the tone.
    assert.ok(start >= 3400 && start < 3800, String(start));
  });

  it('is said after 1,500 ms of silence, or 30 s at the latest', () => {
    const quiet = dialed(leave).silence(200).speak(greeting);
    quiet.until(() => quiet.end !== null);
    assert.equal(said(quiet).at(-1), 'Please call us back.');
    assert.ok((quiet.end?.atMs ?? 0) < 6000);
    const endless = dialed(leave);
    for (let count = 0; count < 200; count += 1) endless.speak(greeting);
    endless.until(() => endless.end !== null);
    const end = endless.end?.atMs ?? 0;
    assert.ok(end > 30_000 && end < 33_500, String(end));
  });

  it('is said at the tone that the carrier reports', () => {
    const call = dialed({ ...leave, detect: 'carrier' })
      .silence(200)
      .speak(greeting)
      .speak(greeting)
      .wait(3000);
    call.session.voicemailBeep();
    call.wait(100);
    assert.equal(call.steps.flatMap(({ commands }) => commands).findLast(({ type }) => type === 'say')?.type, 'say');
    call.until(() => call.end !== null);
    assert.equal(call.end?.reason, 'voicemail');
  });

  it('is not interrupted, and the agent is silent before it', () => {
    const call = dialed(leave).silence(200).speak(greeting);
    call.until(() => verdicts(call).length > 0);
    const before = call.commandTimes('say').length;
    call.speak(greeting).wait(1500);
    assert.equal(call.commandTimes('say').length, before);
    call.sound(toneOf({ hz: 1000, ms: 400 })).until(() => call.commandTimes('say').length > before);
    call.speak('something else on the line').until(() => call.end !== null);
    assert.equal(said(call).at(-1), 'Please call us back.');
  });
});

describe('The detection', () => {
  it('leaves no timer behind', () => {
    const clock = new VirtualClock();
    const voicemail = new Voicemail({
      ...hangUp,
      clock,
      language: 'en',
      rate: 16_000,
      onVerdict: () => assert.fail('it is closed'),
      hangUp: () => {},
      hush: () => {},
      leave: () => {},
    });
    voicemail.observe({ type: 'vad.start', since: 0 });
    voicemail.close();
    clock.advance(60_000);
    voicemail.answeredBy('machine');
  });
});
