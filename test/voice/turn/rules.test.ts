import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TransferSource, TurnPolicy } from '../../../src/voice/turn/events.ts';
import { MachineDriver } from './machine-driver.ts';

describe('The rules of taking turns', () => {
  describe('1: sound without words returns to the previous state', () => {
    it('leaves the reminder where it was', () => {
      const call = new MachineDriver();
      call.wait(4000).cough(300).wait(200);
      assert.equal(call.state, 'idle');
      call.wait(5500);
      assert.deepEqual(
        call.all('reply.request').map(({ kind, atMs }) => [kind, atMs]),
        [['reminder', 10_000]],
      );
    });

    it('fires a timer at once that expired meanwhile', () => {
      const call = new MachineDriver();
      call.wait(9900).cough(300);
      assert.deepEqual(call.all('reply.request').length, 0);
      call.wait(0);
      assert.deepEqual(
        call.all('reply.request').map(({ kind, atMs }) => [kind, atMs]),
        [['reminder', 10_200]],
      );
    });

    it('returns to the opening, and to a sentence that nobody has heard yet', () => {
      const call = new MachineDriver({ opening: { kind: 'text', text: 'Hello.', delayMs: 1000 } });
      call.wait(500).cough(200);
      assert.equal(call.state, 'opening');
      call.wait(400);
      assert.equal(call.all('say').length, 1);
      call.cough(100);
      assert.deepEqual(
        call.all('say').map(({ text }) => text),
        ['Hello.', 'Hello.'],
      );
      call.start().done();
      assert.deepEqual(call.transcript, ['agent: Hello.']);
    });

    it('forgets where it came from when the service has spoken in between', () => {
      const call = new MachineDriver({ hasPartials: false, holdMs: 1000 });
      call.wait(4000).send({ type: 'vad.start', since: call.now }).wait(100);
      call.send({ type: 'say', text: 'One more thing, and a long one.', isInterrupting: true });
      call.send({ type: 'vad.end', since: call.now }).start();
      for (let heard = 1; heard < 20; heard += 1) call.wait(3000).hear(heard);
      call.send({ type: 'vad.start', since: call.now }).wait(1500).send({ type: 'vad.end', since: call.now });
      call.send({ type: 'stt.final', text: '' }).wait(1000);
      assert.equal(call.state, 'idle');
    });

    it('also if the recognizer never answers', () => {
      const call = new MachineDriver();
      call.send({ type: 'vad.start', since: 0 }).wait(200).send({ type: 'vad.end', since: 200 }).wait(1500);
      assert.equal(call.state, 'idle');
    });
  });

  describe('2: reminder and silence start on every entry to idle', () => {
    it('at connected without an opening, and the silence goes on through a reminder', () => {
      const call = new MachineDriver({ reminderMax: 2 });
      call.wait(10_000).reply('Are you there?').wait(100).start().wait(900).done();
      call.wait(10_000).reply('Are you there?').wait(100).start().wait(900).done();
      call.wait(100_000);
      assert.equal(call.all('reply.request').length, 2);
      assert.deepEqual([call.end?.reason, call.end?.atMs], ['silence_timeout', 60_000]);
    });

    it('after a reply without speech, and not while a reply is pending', () => {
      const call = new MachineDriver();
      call.say('hello').wait(1000).wait(3000);
      call.send({ type: 'reply.end', turn: call.turn, endCall: false, isFinal: false });
      assert.equal(call.state, 'idle');
      const repliedAt = call.now;
      call.forget().wait(10_000);
      assert.deepEqual(
        call.all('reply.request').map(({ kind, atMs }) => [kind, atMs]),
        [['reminder', repliedAt + 10_000]],
      );
    });

    it('the words of the caller allow new reminders', () => {
      const call = new MachineDriver();
      const remind = () => call.wait(10_000).reply('Hello?').start().done();
      remind().wait(20_000);
      assert.equal(call.all('reply.request').length, 1);
      call.converse('yes', 'Good.').done();
      remind();
      assert.deepEqual(
        call.all('reply.request').map(({ kind }) => kind),
        ['reminder', 'response', 'reminder'],
      );
    });
  });

  it('2: a reminder that waits for a tool counts when it is said, not when it was due', () => {
    const call = new MachineDriver();
    call.say('book it').wait(1000).send({ type: 'tool.start', turn: 1, say: '' });
    call.send({ type: 'reply.end', turn: 1, endCall: false, isFinal: false });
    assert.equal(call.state, 'idle');
    // The reminder is due, waits for the tool, and the caller is told so, which they acknowledge.
    call.wait(12_000).start().hear(3, 3000).wait(100).send({ type: 'vad.start', since: call.now });
    call.send({ type: 'stt.partial', text: 'okay' }).wait(50).send({ type: 'vad.end', since: call.now });
    call.send({ type: 'stt.final', text: 'okay' }).wait(2000).done();
    call.send({ type: 'tool.end', turn: 1 });
    call.reply('Are you there?').start().done().wait(30_000);
    const kinds = call.all('reply.request').map(({ kind }) => kind);
    assert.deepEqual(kinds, ['response', 'reminder']);
  });

  describe('3: only what was played ends an utterance', () => {
    it('waits for the engine, not for the player, once everything so far was heard', () => {
      const call = new MachineDriver();
      call.say('hi').wait(1000).send({ type: 'reply.text', turn: 1, text: 'Hello.', isUninterruptible: false });
      call.start().hear(6, 0).wait(9000);
      assert.equal(call.state, 'agent');
      call.reply('How are you?').hear(8).wait(5000);
      assert.deepEqual(call.transcript, ['caller: hi', 'agent: Hello.Ho']);
    });

    it('counts a player that stops as cleared after five seconds, with a warning', () => {
      const call = new MachineDriver().converse('hi', 'Hello there.');
      call.hear(5).wait(4999);
      assert.equal(call.state, 'agent');
      call.wait(1);
      assert.equal(call.state, 'idle');
      assert.deepEqual(call.transcript, ['caller: hi', 'agent: Hello']);
      const warnings = call.all('emit').flatMap(({ event }) => (event.type === 'warning' ? [event.code] : []));
      assert.deepEqual(warnings, ['playback_stalled']);
    });

    it('waits as long as the playback advances', () => {
      const call = new MachineDriver().converse('hi', 'Hello there.');
      for (let heard = 1; heard < 12; heard += 1) call.wait(4900).hear(heard);
      call.done();
      assert.deepEqual(call.transcript, ['caller: hi', 'agent: Hello there.']);
    });
  });

  it('4: a mark that arrives after a clear is ignored', () => {
    const call = new MachineDriver().converse('hi', 'A long answer to it.');
    const first = call.utterance;
    call.hear(6).say('wait please', 1000).send({ type: 'play.cleared', utterance: first, heard: 6 });
    call.forget().send({ type: 'play.done', utterance: first });
    call.send({ type: 'play.progress', utterance: first, heard: 20, remainingMs: 0 });
    assert.deepEqual(call.log, []);
    assert.equal(call.state, 'endpoint');
  });

  it('5: a rejected interruption clears nothing', () => {
    const call = new MachineDriver({ opening: { kind: 'text', text: 'Welcome to the shop.', delayMs: 0 } });
    call.start().hear(7).wait(300).cough(400).wait(2000).hear(20).done();
    assert.deepEqual(call.all('clear'), []);
    assert.equal(call.all('pause').length, 1);
    assert.equal(call.all('resume').length, 1);
    assert.deepEqual(call.transcript, ['agent: Welcome to the shop.']);
  });

  describe('6: one commit per utterance, with what was heard', () => {
    it('also of two that are stopped in quick succession', () => {
      const call = new MachineDriver().converse('hi', 'First part.');
      const first = call.utterance;
      call.send({ type: 'say', text: 'Another.', isInterrupting: true }).start();
      const second = call.utterance;
      call.wait(100).send({ type: 'dtmf', digits: '1' });
      call.send({ type: 'play.cleared', utterance: second, heard: 4 });
      call.wait(50).send({ type: 'play.cleared', utterance: first, heard: 5 }).wait(3000);
      const commits = call.all('commit').map(({ role, text }) => [role, text]);
      assert.deepEqual(commits.slice(1), [
        ['agent', 'First'],
        ['agent', 'Anot'],
        ['caller', '1'],
      ]);
    });

    it('keeps the heard part and names the rest', () => {
      const call = new MachineDriver().converse('hi', 'First part. Second part.');
      call
        .hear(11)
        .send({ type: 'vad.start', since: call.now })
        .wait(300)
        .send({ type: 'stt.partial', text: 'no thanks' });
      call.send({ type: 'play.cleared', utterance: call.utterance, heard: 12 });
      const commits = call.all('commit').filter(({ role }) => role === 'agent');
      assert.deepEqual(
        commits.map((commit) =>
          commit.role === 'agent' ? [commit.text, commit.unspokenText, commit.isInterrupted] : [],
        ),
        [['First part. ', 'Second part.', true]],
      );
    });

    it('creates no entry if nothing was heard', () => {
      const call = new MachineDriver().converse('hi', 'Hello.');
      call.say('stop it', 1000).send({ type: 'play.cleared', utterance: call.utterance, heard: 0 });
      assert.deepEqual(call.transcript, ['caller: hi']);
    });

    it('a reply is requested once the last report is there', () => {
      const call = new MachineDriver({ endpointMs: 0 }).converse('hi', 'Hello there.');
      call.hear(5).send({ type: 'vad.start', since: call.now }).wait(300);
      call.send({ type: 'stt.partial', text: 'stop it' });
      const { utterance } = call;
      call.send({ type: 'vad.end', since: call.now }).send({ type: 'stt.final', text: 'stop it' }).wait(100);
      assert.equal(call.state, 'thinking');
      assert.equal(call.all('reply.request').length, 1);
      call.send({ type: 'play.cleared', utterance, heard: 11 });
      assert.deepEqual(
        call.log.slice(-4).flatMap(({ type }) => (type.startsWith('timer') ? [] : [type])),
        ['commit', 'reply.request'],
      );
      assert.deepEqual(call.transcript, ['caller: hi', 'agent: Hello there']);
    });

    it('or after 250 ms without it', () => {
      const call = new MachineDriver({ endpointMs: 0 }).converse('hi', 'Hello there.');
      call.hear(5).send({ type: 'vad.start', since: call.now }).wait(300);
      call.send({ type: 'stt.partial', text: 'stop it' });
      const clearedAt = call.now;
      call.send({ type: 'vad.end', since: call.now }).send({ type: 'stt.final', text: 'stop it' });
      call.wait(249);
      assert.equal(call.all('reply.request').length, 1);
      call.wait(1);
      assert.equal(call.all('reply.request').at(-1)?.atMs, clearedAt + 250);
      assert.deepEqual(call.transcript, ['caller: hi', 'agent: Hello']);
    });

    it('words that follow meanwhile are in the request', () => {
      const call = new MachineDriver({ endpointMs: 0 }).converse('hi', 'Hello there.');
      call.hear(5).send({ type: 'vad.start', since: call.now }).wait(300);
      call.send({ type: 'stt.partial', text: 'stop it' });
      call.send({ type: 'vad.end', since: call.now }).send({ type: 'stt.final', text: 'stop it' }).wait(100);
      assert.equal(call.state, 'thinking');
      call.say('and call me', 400).wait(1000);
      assert.deepEqual(
        call.all('reply.request').map(({ words }) => words),
        ['hi', 'stop it and call me'],
      );
    });

    it('commits without the last report if that does not come in time', () => {
      const call = new MachineDriver().converse('hi', 'Hello there.');
      call.hear(5).say('stop it', 1000).wait(250);
      assert.deepEqual(call.transcript, ['caller: hi', 'agent: Hello']);
    });
  });

  describe('7: a reply carries its turn number', () => {
    it('a stale reply is dropped', () => {
      const call = new MachineDriver();
      call.say('one').wait(1000);
      const stale = call.turn;
      call.say('two').wait(1000);
      call.send({ type: 'reply.text', turn: stale, text: 'Old.', isUninterruptible: false });
      assert.deepEqual(call.all('say'), []);
      call.reply('New.');
      assert.deepEqual(
        call.all('say').map(({ text }) => text),
        ['New.', ''],
      );
    });

    it('speech while thinking cancels it, and clears audio that was already sent', () => {
      const call = new MachineDriver();
      call.say('one').wait(1000).reply('Answer.').wait(50);
      call.send({ type: 'vad.start', since: call.now });
      assert.equal(call.all('clear').length, 1);
      assert.equal(call.state, 'caller');
    });

    it('is requested again if no words follow', () => {
      const call = new MachineDriver();
      call.say('one').wait(1000).cough(300).wait(1000);
      assert.deepEqual(
        call.all('reply.request').map(({ words }) => words),
        ['one', 'one'],
      );
      assert.deepEqual(
        call.all('reply.cancel').map(({ turn }) => turn),
        [1],
      );
    });
  });

  describe('8: the caller’s turn stays open until the agent is heard', () => {
    it('joins what follows and asks again with all parts', () => {
      const call = new MachineDriver();
      call.say('I want').wait(1000).wait(100).say('two tickets').wait(1000);
      assert.deepEqual(
        call.all('reply.request').map(({ words }) => words),
        ['I want', 'I want two tickets'],
      );
      call.reply('Two tickets.').start();
      assert.deepEqual(call.transcript, ['caller: I want two tickets']);
    });

    it('joins a late final', () => {
      const call = new MachineDriver({ sttWaitMs: 500 });
      call.send({ type: 'vad.start', since: 0 }).wait(400).send({ type: 'stt.partial', text: 'five' });
      call.wait(100).send({ type: 'vad.end', since: 500 }).wait(1100);
      call.send({ type: 'stt.final', text: 'five thirty' });
      assert.deepEqual(
        call.all('reply.request').map(({ words }) => words),
        ['five', 'five thirty'],
      );
    });

    it('is committed when a tool starts, when the reply has no text, and when the call ends', () => {
      const withTool = new MachineDriver();
      withTool.say('book it').wait(1000).send({ type: 'tool.start', turn: 1, say: '' });
      assert.deepEqual(withTool.transcript, ['caller: book it']);
      const withoutText = new MachineDriver();
      withoutText.say('quiet').wait(1000).send({ type: 'reply.end', turn: 1, endCall: false, isFinal: false });
      assert.deepEqual(withoutText.transcript, ['caller: quiet']);
      const ended = new MachineDriver();
      ended.say('bye').send({ type: 'hangup' });
      assert.deepEqual(ended.transcript, ['caller: bye']);
    });

    it('what comes after the first sample is a new turn', () => {
      const call = new MachineDriver().converse('one', 'An answer to it.');
      call.hear(3).say('and another thing', 1000).wait(2500).reply('Sure.').start();
      assert.deepEqual(call.transcript, ['caller: one', 'agent: An ', 'caller: and another thing']);
    });
  });

  it('9: the last partial is used if no final arrives, and the late final is not a new turn', () => {
    const call = new MachineDriver();
    call.send({ type: 'vad.start', since: 0 }).wait(500).send({ type: 'stt.partial', text: 'opening hours' });
    call.send({ type: 'vad.end', since: 500 }).wait(999);
    assert.deepEqual(call.all('reply.request'), []);
    call.wait(1);
    assert.deepEqual(
      call.all('reply.request').map(({ words }) => words),
      ['opening hours'],
    );
    call.reply('Nine to five.').start().send({ type: 'stt.final', text: 'Opening hours?' });
    assert.equal(call.state, 'agent');
  });

  describe('9: the final of words that are committed is told by its segment', () => {
    /** The words are committed as they were heard first, and the caller speaks again over the reply. */
    const committed = (partial: string) => {
      const call = new MachineDriver();
      call.send({ type: 'vad.start', since: 0 }).wait(500).send({ type: 'stt.partial', text: partial, segment: 0 });
      call.send({ type: 'vad.end', since: 500 }).wait(1000).reply('Nine to five.').start();
      return call.send({ type: 'vad.start', since: call.now }).wait(300);
    };
    const stop = (call: MachineDriver) => call.send({ type: 'vad.end', since: call.now });

    it('which the next turn does not repeat, also if the caller has begun to speak again', () => {
      const call = committed('opening hours');
      call.send({ type: 'stt.final', text: 'Opening hours?', segment: 0 });
      assert.equal(call.state, 'paused');
      call.send({ type: 'stt.partial', text: 'on Sunday', segment: 1 });
      stop(call).send({ type: 'stt.final', text: 'On Sunday.', segment: 1 }).wait(1000);
      assert.deepEqual(
        call.all('reply.request').map(({ words }) => words),
        ['opening hours', 'On Sunday.'],
      );
    });

    it('nor if it arrives once the caller has the floor, or has stopped', () => {
      for (const isLate of [false, true]) {
        const call = committed('opening hours').done();
        assert.equal(call.state, 'caller');
        if (isLate) stop(call);
        call.send({ type: 'stt.final', text: 'Opening hours?', segment: 0 });
        assert.equal(call.state, isLate ? 'endpoint' : 'caller');
        if (!isLate) stop(call);
        call.send({ type: 'stt.final', text: 'On Sunday.', segment: 1 }).wait(1000).send({ type: 'hangup' });
        assert.equal(call.transcript.at(-1), 'caller: On Sunday.');
      }
    });

    it('and of which only what goes beyond them is new', () => {
      const cases = [
        ['opening hours', 'Opening hours, please, on Sunday.', 'please, on Sunday.'],
        ['opening hour', 'Opening hours.', undefined],
        ['opening ours', 'Opening hours on Sunday.', 'hours on Sunday.'],
        ['five thirty', '5:30', undefined],
        ['opening hours please', 'Opening hours', undefined],
        ['営業時間', '営業時間は何時ですか。', 'は何時ですか。'],
      ] as const;
      for (const [partial, final, news] of cases) {
        const call = committed(partial).send({ type: 'stt.final', text: final, segment: 0 });
        call.send({ type: 'hangup' });
        assert.deepEqual(call.transcript.slice(1), news === undefined ? [] : [`caller: ${news}`], final);
      }
    });

    it('also if it comes in several parts, and after more of the segment was heard', () => {
      const call = committed('table for two');
      call.send({ type: 'stt.partial', text: 'table for two tonight', segment: 0 });
      assert.equal(call.machine.callerWords, 'tonight');
      call.send({ type: 'stt.final', text: 'Table.', segment: 0 });
      call.send({ type: 'stt.final', text: 'For two tonight.', segment: 0 });
      assert.equal(call.machine.callerWords, 'tonight.');
    });

    it('while the same words, said again, are new although the final never came', () => {
      const call = committed('opening hours').done();
      stop(call).send({ type: 'stt.final', text: 'Opening hours?', segment: 1 }).wait(1000).send({ type: 'hangup' });
      assert.deepEqual(call.transcript.slice(-1), ['caller: Opening hours?']);
    });

    it('and what follows a commit without sound is another segment', () => {
      const call = new MachineDriver();
      call.say('first').wait(1000).send({ type: 'stt.partial', text: 'and more', segment: 1 });
      assert.equal(call.all('stt.flush').length, 1);
      call.reply('One moment.').start();
      assert.equal(call.all('stt.flush').length, 2);
    });
  });

  describe('10: a started tool runs to completion', () => {
    it('sound without words cancels nothing, words do', () => {
      const call = new MachineDriver();
      call.say('book it').wait(1000).send({ type: 'tool.start', turn: 1, say: '' });
      call.cough(500);
      assert.deepEqual(call.all('reply.cancel'), []);
      assert.equal(call.state, 'thinking');
      call.say('no stop').wait(1000);
      assert.equal(call.all('reply.cancel').length, 1);
      assert.equal(call.all('reply.request').length, 1, 'waits for the result');
      call.send({ type: 'tool.end', turn: 1 });
      assert.deepEqual(
        call.all('reply.request').map(({ words }) => words),
        ['book it', 'no stop'],
      );
    });

    it('words over the waiting sentence before it starts are a turn of their own, and are answered', () => {
      const call = new MachineDriver({ isInterruptible: false });
      call.say('book it').wait(1000).wait(4000).start().say('for two', 500);
      call.send({ type: 'tool.start', turn: 1, say: '' });
      assert.deepEqual(call.transcript, ['caller: book it']);
      call.done().send({ type: 'tool.end', turn: 1 });
      assert.equal(call.all('reply.request').at(-1)?.words, 'for two');
    });

    it('stops the reply timeouts while it runs', () => {
      const call = new MachineDriver();
      call.say('book it').wait(1000).wait(3000).send({ type: 'tool.start', turn: 1, say: 'I am looking.' });
      call.wait(500).start().done().wait(25_000).send({ type: 'tool.end', turn: 1 }).wait(11_999);
      assert.equal(call.all('emit').filter(({ event }) => event.type === 'reply_failed').length, 0);
      call.wait(1);
      assert.equal(call.all('emit').filter(({ event }) => event.type === 'reply_failed').length, 1);
    });
  });

  describe('11: what is said over speech that cannot be interrupted is answered afterwards', () => {
    it('during an uninterruptible sentence', () => {
      const call = new MachineDriver().converse('hi', 'This call is recorded.', { isUninterruptible: true });
      call.hear(5).say('that is fine', 1000).hear(20);
      assert.deepEqual(call.all('pause'), []);
      call.done();
      assert.deepEqual(
        call.all('reply.request').map(({ words }) => words),
        ['hi', 'that is fine'],
      );
      assert.deepEqual(call.transcript, ['caller: hi', 'agent: This call is recorded.']);
    });

    it('at sensitivity 0, and a caller who is still speaking has the floor', () => {
      const call = new MachineDriver({ isInterruptible: false }).converse('hi', 'A very long answer.');
      call.send({ type: 'vad.start', since: call.now }).wait(500).send({ type: 'stt.partial', text: 'but I' }).done();
      assert.deepEqual(call.all('pause'), []);
      assert.equal(call.state, 'caller');
    });

    it('an acknowledgment counts as the answer only in the last second', () => {
      const early = new MachineDriver({ isInterruptible: false }).converse('hi', 'Shall I book it?');
      early.say('yeah', 400).wait(1500).done();
      assert.equal(early.state, 'idle');
      const late = new MachineDriver({ isInterruptible: false }).converse('hi', 'Shall I book it?');
      late.wait(2000).say('yeah', 400).wait(100).done();
      assert.equal(late.all('reply.request').at(-1)?.words, 'yeah');
    });
  });

  it('12: times come from the events of the turn itself', () => {
    const call = new MachineDriver({ endpointMs: 300 });
    call.send({ type: 'vad.start', since: 0 }).wait(1000);
    // The detector reports the end 120 ms late: the wait counts from the last voiced frame.
    call.send({ type: 'stt.final', text: 'hello' }).send({ type: 'vad.end', since: 880 }).wait(180);
    assert.deepEqual(
      call.all('reply.request').map(({ atMs }) => atMs),
      [1180],
    );
  });

  it('13: a call that is left alone ends on its own, whatever its state', () => {
    const stuck: Record<string, (call: MachineDriver) => unknown> = {
      caller: (call) => call.send({ type: 'vad.start', since: call.now }),
      endpoint: (call) => call.say('hm'),
      thinking: (call) => call.say('hm').wait(1000),
      agent: (call) => call.converse('hm', 'Well.'),
      overlap: (call) => call.converse('hm', 'Well.').send({ type: 'vad.start', since: call.now }),
      paused: (call) => call.converse('hm', 'Well.').send({ type: 'vad.start', since: call.now }).wait(250),
      closing: (call) => call.converse('bye', 'Bye.', { endCall: true }),
      lost: (call) => call.send({ type: 'transport.lost' }),
    };
    for (const [state, enter] of Object.entries(stuck)) {
      const call = new MachineDriver();
      enter(call);
      assert.equal(call.state, state);
      call.wait(200_000);
      assert.ok(call.end !== undefined, `${state} never ends`);
    }
  });

  it('takes the transcript of what was said before the connection was lost, and answers it once', () => {
    const call = new MachineDriver();
    call.send({ type: 'vad.start', since: 0 }).wait(500).send({ type: 'stt.partial', text: 'no' });
    call.send({ type: 'transport.lost' }).wait(100).send({ type: 'stt.final', text: 'no wait' });
    call.wait(1000).send({ type: 'transport.resumed' }).wait(2000);
    // A cough afterwards, and a transcript without words, take nothing of it back.
    call.send({ type: 'vad.start', since: call.now }).wait(300).send({ type: 'vad.end', since: call.now });
    call.send({ type: 'stt.final', text: '' }).wait(2000);
    const requests = call.all('reply.request');
    assert.deepEqual(
      requests.map(({ words }) => words),
      requests.map(() => 'no wait'),
    );
    call.send({ type: 'hangup' });
    assert.deepEqual(
      call.all('commit').map(({ text }) => text),
      ['no wait'],
    );
  });

  it('a lost connection can resume for 30 s, which count from the end of a tool', () => {
    const call = new MachineDriver();
    call.say('book it').wait(1000).send({ type: 'tool.start', turn: 1, say: '' });
    call.send({ type: 'transport.lost' }).wait(40_000);
    assert.equal(call.state, 'lost');
    call.send({ type: 'tool.end', turn: 1 }).wait(29_999);
    assert.equal(call.state, 'lost');
    call.wait(1);
    assert.equal(call.end?.reason, 'caller_disconnected');
  });

  it('14: no call outlives its maximum duration', () => {
    const call = new MachineDriver({ maxMs: 60_000 });
    for (let turn = 0; turn < 100; turn += 1) call.converse('more', 'And more.').wait(1000).done();
    assert.deepEqual([call.end?.reason, call.end?.atMs], ['max_duration', 60_000]);
  });

  describe('15: steady noise does not hold the floor', () => {
    it('ends the turn 2.5 s after the last word', () => {
      const call = new MachineDriver();
      call.send({ type: 'vad.start', since: 0 }).wait(1000).send({ type: 'stt.final', text: 'table for two.' });
      call.wait(2500);
      assert.equal(call.state, 'endpoint');
      call.wait(200);
      assert.equal(call.all('reply.request').length, 1);
    });

    it('a word that follows counts as the start of sound', () => {
      const call = new MachineDriver();
      call.send({ type: 'vad.start', since: 0 }).wait(1000).send({ type: 'stt.partial', text: 'table' }).wait(2500);
      assert.equal(call.state, 'endpoint');
      call.send({ type: 'stt.partial', text: 'table for' });
      assert.equal(call.state, 'caller');
    });
  });

  describe('16: no dead air', () => {
    it('says the waiting sentence once after 4 s, and the reply after it', () => {
      const call = new MachineDriver();
      call.say('question').wait(1000).wait(3999);
      assert.deepEqual(call.all('say'), []);
      call.wait(1);
      assert.deepEqual(
        call.all('say').map(({ text, source }) => [text, source]),
        [['One moment, please.', 'waiting']],
      );
      call.start().reply('The answer.').wait(1000).done();
      assert.equal(call.state, 'thinking');
      call.start().done().wait(5000);
      assert.deepEqual(call.transcript, ['caller: question', 'agent: One moment, please.', 'agent: The answer.']);
    });

    it('after 2 s while a tool without a sentence of its own runs', () => {
      const call = new MachineDriver();
      call.say('question').wait(1000).send({ type: 'tool.start', turn: 1, say: '' }).wait(2000);
      assert.equal(call.all('say').length, 1);
      call.start().wait(1000).done().wait(10_000);
      assert.equal(call.all('say').length, 1);
    });

    it('words that interrupt it cancel the reply', () => {
      const call = new MachineDriver();
      call.say('question').wait(1000).wait(4000).start().hear(3).say('never mind', 1000);
      assert.equal(call.all('reply.cancel').length, 1);
    });

    it('not in a chat', () => {
      const call = new MachineDriver({ isChat: true });
      call.send({ type: 'text', text: 'question' }).wait(10_000);
      assert.deepEqual(call.all('say'), []);
    });
  });

  describe('17: the goodbye can be interrupted', () => {
    it('accepted words withdraw the end', () => {
      const call = new MachineDriver().converse('that is all', 'Goodbye then.', { endCall: true });
      assert.equal(call.state, 'closing');
      call.hear(4).say('wait a moment', 1000).send({ type: 'play.cleared', utterance: call.utterance, heard: 4 });
      call.wait(1000);
      assert.equal(call.end, undefined);
      assert.equal(call.all('reply.request').at(-1)?.words, 'wait a moment');
    });

    it('not if the end is final', () => {
      const call = new MachineDriver().converse('that is all', 'Goodbye then.', { endCall: true, isFinal: true });
      call.hear(4).say('wait a moment', 1000).done();
      assert.equal(call.end?.reason, 'agent_hangup');
    });
  });

  describe('18: keys are one turn once they are complete', () => {
    const press = (call: MachineDriver, digits: string) => call.send({ type: 'dtmf', digits });
    const words = (call: MachineDriver) => call.all('reply.request').map((request) => request.words);
    const received = (call: MachineDriver) =>
      call.all('emit').flatMap(({ event }) => (event.type === 'dtmf_received' ? [event.digits] : []));
    const committed = (call: MachineDriver) =>
      call.all('commit').flatMap((commit) => (commit.role === 'caller' ? [commit.text] : []));

    it('after 2.5 s without another', () => {
      const call = new MachineDriver();
      for (const digit of '1234') press(call.wait(2400), digit);
      call.wait(2400);
      assert.deepEqual(words(call), []);
      call.wait(100);
      assert.deepEqual([words(call), received(call), committed(call)], [['1234'], ['1234'], ['1234']]);
    });

    it('after #, which is no part of them', () => {
      const call = new MachineDriver();
      press(call, '12#34#');
      assert.deepEqual(
        [received(call), committed(call)],
        [
          ['12', '34'],
          ['12', '34'],
        ],
      );
    });

    it('and get one reply if they arrive at once', () => {
      const call = new MachineDriver();
      press(call, '12#34#');
      assert.deepEqual(words(call), ['12 34']);
      const flooded = new MachineDriver();
      press(flooded, '#'.repeat(50)).wait(3000);
      assert.equal(words(flooded).length, 1);
    });

    it('of # alone', () => {
      const call = new MachineDriver();
      press(call, '#');
      assert.deepEqual([words(call), received(call)], [['#'], ['#']]);
    });

    it('at most 50 of them', () => {
      const call = new MachineDriver();
      press(call, '1'.repeat(50));
      press(call, '2').wait(2500);
      assert.deepEqual(received(call), ['1'.repeat(50), '2']);
    });

    it('the first one stops the agent', () => {
      const call = new MachineDriver().converse('hello', 'Press one for opening hours.');
      call.hear(9);
      press(call, '1');
      assert.equal(call.all('clear').length, 1);
      call.send({ type: 'play.cleared', utterance: call.utterance, heard: 9 }).wait(2500);
      assert.equal(words(call).at(-1), '1');
    });

    it('the first one cancels a reply that is being prepared', () => {
      const call = new MachineDriver().say('my number is').wait(1000);
      press(call, '7').wait(2500);
      assert.deepEqual(words(call), ['my number is', 'my number is 7']);
      assert.deepEqual(committed(call), ['my number is', '7']);
    });

    it('wait for the end of speech that may not be interrupted', () => {
      const call = new MachineDriver({ isInterruptible: false }).converse('hello', 'This call is recorded.');
      press(call.hear(4), '42').wait(2500);
      assert.equal(words(call).length, 1);
      call.done();
      assert.equal(words(call).at(-1), '42');
      const later = new MachineDriver({ isInterruptible: false }).converse('hello', 'This call is recorded.');
      press(later.hear(4), '4').done();
      press(later, '2').wait(2500);
      assert.equal(words(later).at(-1), '42', 'also if they are completed after it');
    });

    it('a sound without words does not end them', () => {
      const call = new MachineDriver();
      press(call, '1').cough(300).wait(1000);
      press(call, '2').wait(2500);
      assert.deepEqual(received(call), ['12']);
      assert.equal(words(call).at(-1), '12');
    });

    it('are answered after a lost connection, and kept if the call ends or continues elsewhere', () => {
      const lost = new MachineDriver();
      press(lost, '12').send({ type: 'transport.lost' }).wait(5000);
      assert.deepEqual(words(lost), []);
      lost.send({ type: 'transport.resumed' });
      assert.deepEqual(words(lost), ['12']);
      const ended = new MachineDriver();
      press(ended, '12').send({ type: 'hangup' });
      assert.deepEqual([committed(ended), received(ended)], [['12'], ['12']]);
      const moved = new MachineDriver();
      press(moved, '12');
      assert.equal(moved.machine.unfinishedAt(moved.now).words, '12');
    });

    it('come before a message that is typed after them', () => {
      const call = new MachineDriver();
      press(call, '12').send({ type: 'text', text: 'hello' }).wait(3000);
      assert.deepEqual(committed(call), ['12', 'hello']);
      assert.deepEqual(words(call), ['12 hello']);
    });

    it('count as activity', () => {
      const call = new MachineDriver();
      press(call.wait(9000), '1').wait(2400);
      assert.deepEqual(words(call), []);
    });
  });

  describe('19: a call is transferred once the agent has finished speaking', () => {
    const ask = (call: MachineDriver, by: TransferSource = 'tool') => call.send({ type: 'transfer.request', by });
    const started = (call: MachineDriver) => call.all('transfer.start').length;
    const withdrawn = (call: MachineDriver) => call.all('transfer.withdraw').length;
    /** A reply says a sentence and calls the tool that transfers the call. */
    const announce = () => {
      const call = new MachineDriver().say('a person please').wait(1000);
      call.send({ type: 'reply.text', turn: call.turn, text: 'I will connect you.', isUninterruptible: false });
      return ask(call.send({ type: 'tool.start', turn: call.turn, say: '' }));
    };
    const fail = (call: MachineDriver) =>
      call.send({ type: 'transfer.failed' }).send({ type: 'tool.end', turn: call.turn });

    it('says its sentence to the end first', () => {
      const call = announce();
      assert.deepEqual([call.state, started(call)], ['thinking', 0]);
      call.start().hear(5).wait(1000);
      assert.equal(started(call), 0);
      call.hear(19, 0).done();
      assert.deepEqual([call.state, started(call)], ['transferring', 1]);
      assert.deepEqual(call.transcript, ['caller: a person please', 'agent: I will connect you.']);
    });

    it('at once if nothing is being said', () => {
      const call = ask(new MachineDriver());
      assert.deepEqual([call.state, started(call)], ['transferring', 1]);
    });

    it('nobody listens or speaks meanwhile, and no timer runs but the longest time of a call', () => {
      const call = announce().start().done().forget();
      call.say('hello?').send({ type: 'dtmf', digits: '1#' }).send({ type: 'text', text: 'typed' });
      call.send({ type: 'say', text: 'A note.', isInterrupting: true });
      call.send({ type: 'reply.interrupt', text: 'Another.' }).send({ type: 'respond' }).wait(120_000);
      assert.equal(call.state, 'transferring');
      assert.deepEqual(
        call.log.filter(({ type }) => !type.startsWith('timer.')),
        [],
      );
      assert.deepEqual(call.pendingTimers, ['max']);
      assert.ok(call.machine.canExit);
    });

    it('the reply goes on with the result if it fails', () => {
      const call = fail(announce().start().done());
      assert.equal(call.state, 'thinking');
      call.reply('Nobody answers.').start().done();
      assert.equal(call.transcript.at(-1), 'agent: Nobody answers.');
      assert.equal(call.state, 'idle');
    });

    it('reminders and silence start again if it fails', () => {
      const call = ask(new MachineDriver()).wait(70_000).send({ type: 'transfer.failed' });
      assert.equal(call.state, 'idle');
      call.wait(10_000);
      assert.equal(call.all('reply.request').at(-1)?.kind, 'reminder');
    });

    it('says afterwards what the service had to say', () => {
      const call = announce().start().done().send({ type: 'say', text: 'A note.', isInterrupting: true });
      fail(call);
      assert.equal(call.all('say').at(-1)?.text, 'A note.');
    });

    it('says afterwards what the reply that waits for it has sent meanwhile', () => {
      const call = announce().start().done();
      const said = () => call.all('say').map(({ text }) => text);
      call.send({ type: 'reply.text', turn: call.turn, text: 'One moment.', isUninterruptible: false });
      assert.ok(call.state === 'transferring' && !said().includes('One moment.'), String(said()));
      fail(call);
      assert.ok(said().includes('One moment.'), String(said()));
    });

    it('cancels a reply that is not complete if the API asks for it, so that the next one is alone', () => {
      const call = new MachineDriver().say('hello').wait(1000);
      call.send({ type: 'reply.text', turn: call.turn, text: 'Let me see.', isUninterruptible: false }).start().hear(3);
      ask(call, 'api');
      assert.deepEqual([call.state, call.all('reply.cancel').at(-1)?.turn], ['agent', call.turn]);
      call.done();
      assert.equal(started(call), 1);
    });

    it('not if the caller interrupts before it begins', () => {
      const call = announce().start().hear(5).say('wait no', 1000);
      assert.deepEqual([started(call), withdrawn(call)], [0, 1]);
      call.send({ type: 'play.cleared', utterance: call.utterance, heard: 5 });
      call.send({ type: 'tool.end', turn: call.turn }).wait(1000);
      assert.equal(call.all('reply.request').at(-1)?.words, 'wait no');
    });

    it('not if the caller speaks, unless the API asks for it', () => {
      const speaking = () =>
        new MachineDriver().send({ type: 'vad.start', since: 0 }).send({ type: 'stt.partial', text: 'so I' });
      const call = ask(speaking());
      assert.deepEqual([call.state, withdrawn(call)], ['caller', 1]);
      const forced = ask(speaking(), 'api');
      assert.deepEqual([forced.state, started(forced), forced.transcript], ['transferring', 1, ['caller: so I']]);
    });

    it('says what the API has announced, and drops a reply', () => {
      const call = new MachineDriver()
        .say('hello')
        .wait(1000)
        .send({ type: 'say', text: 'I connect you.', isInterrupting: true });
      ask(call, 'api');
      assert.equal(started(call), 0);
      call.start().done();
      assert.equal(started(call), 1);
      assert.equal(call.transcript.at(-1), 'agent: I connect you.');
    });

    it('the connection may be gone meanwhile', () => {
      const call = announce().start().done().send({ type: 'transport.lost' }).wait(100_000);
      assert.equal(call.end, undefined);
      call.send({ type: 'transport.resumed' });
      assert.equal(call.state, 'transferring');
      call.send({ type: 'transport.lost' });
      fail(call).wait(29_000).send({ type: 'transport.resumed' });
      assert.equal(call.state, 'thinking');
      const gone = fail(announce().start().done().send({ type: 'transport.lost' })).wait(30_000);
      assert.equal(gone.end?.reason, 'caller_disconnected');
    });

    it('not if the caller enters something over a sentence that may not be interrupted', () => {
      const call = new MachineDriver({ isInterruptible: false }).converse('a person', 'I connect you.');
      ask(call.send({ type: 'dtmf', digits: '12' }))
        .done()
        .wait(2500);
      assert.deepEqual([started(call), withdrawn(call)], [0, 1]);
      assert.equal(call.all('reply.request').at(-1)?.words, '12');
    });

    it('drops a reply that does not wait for it', () => {
      const call = new MachineDriver()
        .say('hello')
        .wait(1000)
        .send({ type: 'reply.interrupt', text: 'I connect you.' });
      ask(call, 'engine').start().done();
      assert.deepEqual([started(call), call.all('reply.cancel').length], [1, 1]);
      call.send({ type: 'reply.text', turn: call.turn, text: 'Late.', isUninterruptible: false });
      assert.equal(call.all('say').length, 1);
      call.send({ type: 'transfer.failed' }).send({ type: 'respond' });
      assert.equal(call.state, 'thinking');
    });

    it('the call ends if its engine leaves meanwhile and it fails', () => {
      const call = ask(new MachineDriver(), 'engine').send({ type: 'finish' });
      assert.equal(call.end, undefined);
      assert.equal(call.send({ type: 'transfer.failed' }).end?.reason, 'agent_hangup');
    });

    it('is not requested for a muted agent any more', () => {
      const call = announce().start().send({ type: 'mute', isOn: true });
      assert.deepEqual([started(call), withdrawn(call)], [0, 1]);
    });
  });

  describe('20: a notice is said first, and completely', () => {
    const notice = 'This call is recorded.';
    const opened = (opening: Partial<TurnPolicy['opening']>) =>
      new MachineDriver({ opening: { kind: 'text', text: 'Hello.', delayMs: 0, notice, ...opening } });
    const said = (call: MachineDriver) => call.all('say').map(({ text }) => text);

    it('before the begin message, without its delay', () => {
      const call = opened({ delayMs: 1000 }).start().done().start().done();
      assert.deepEqual(said(call), [notice, 'Hello.']);
      assert.deepEqual(call.transcript, [`agent: ${notice}`, 'agent: Hello.']);
    });

    it('before the opening of the engine, which is written meanwhile', () => {
      const call = opened({ kind: 'request', text: '' }).reply('Hi.').start().done();
      assert.deepEqual(said(call), [notice, 'Hi.']);
    });

    it('if the caller is to speak first', () => {
      const call = opened({ kind: 'wait', text: '' }).start().done();
      assert.deepEqual([said(call), call.state], [[notice], 'idle']);
    });

    it('whatever the caller says or presses', () => {
      for (const isHeard of [true, false]) {
        const call = opened({});
        if (isHeard) call.start().hear(4);
        call.say('hello', 1000).send({ type: 'dtmf', digits: '1#' });
        if (!isHeard) call.start();
        call.done().start().done();
        assert.deepEqual([call.all('clear'), said(call)], [[], [notice, 'Hello.']]);
        assert.ok(call.transcript.includes('caller: hello 1'));
        assert.equal(call.all('reply.request').length, isHeard ? 1 : 0);
      }
    });

    it('again if its process is lost before it was heard, and not twice', () => {
      const early = opened({}).machine.unfinishedAt(0);
      assert.deepEqual([early.isOpening, early.unsaid], [true, []]);
      const unsaidBy = (call: MachineDriver) =>
        call.machine.unfinishedAt(0).unsaid.flatMap(({ sentences }) => sentences.map(({ text }) => text));
      assert.deepEqual(unsaidBy(opened({}).start().hear(4)), [notice, 'Hello.']);
      const asked = opened({ kind: 'request', text: '' }).start().machine.unfinishedAt(0);
      assert.deepEqual([asked.isOpening, asked.unsaid], [true, []]);
    });
  });
});
