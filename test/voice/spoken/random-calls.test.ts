import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SeededRandom } from '../../../src/voice/simulation/random.ts';
import { wordsOf } from '../../../src/voice/text/words.ts';
import { SpokenCall, script } from './spoken-call.ts';

const lines = [
  'Welcome to the salon. Which day would you like? We are open from nine to five.',
  'And at what time? You can come at ten, at eleven or at noon.',
  'Yes.',
  'Thank you very much, your table is booked for tomorrow at seven. We look forward to it. See you then.',
];
const words = 'I would like to book a table for two people tomorrow evening please thanks yes okay'.split(' ');

function randomCall(seed: number, canLose: boolean): SpokenCall {
  const random = new SeededRandom(seed);
  const call = new SpokenCall({
    ...script(...lines),
    beginMessage: random.pick(['', 'Hello, this is the salon. How can I help you today?']),
    interruptionSensitivity: random.pick([0, 0.3, 0.6, 1]),
    responsiveness: random.pick([0, 0.5, 1]),
    enableBackchannel: random.chance(0.5),
    sttMode: random.pick(['fast', 'accurate']),
    reminderTriggerMs: 3000,
  });
  for (let step = 0; step < 20 && call.end === null; step += 1) {
    const kind = random.integer(0, canLose ? 7 : 5);
    if (kind <= 1)
      call.speak(
        Array.from({ length: random.integer(1, 6) }, () => random.pick(words)),
        random.integer(4, 15),
      );
    else if (kind === 2) call.speak([''], random.integer(1, 40));
    else if (kind === 3) call.session.text('a typed message');
    else if (kind === 4) call.session.say('A note from the service.', random.chance(0.3));
    else if (kind === 6) {
      call.player.drop();
      call.session.lost();
      call.clock.advance(random.integer(0, 8000));
      call.resume();
    } else if (kind === 7) call.player.isStuck = !call.player.isStuck;
    call.wait(20 * random.integer(1, 150));
  }
  call.player.isStuck = false;
  call.wait(8000);
  call.session.hangUp();
  call.wait(1000);
  assert.equal(call.end?.reason, 'caller_hangup');
  return call;
}

describe('Random spoken calls', () => {
  it('keep the rules of conversation, and commit exactly the words that were played', () => {
    let reported = 0;
    for (let seed = 0; seed < 60; seed += 1) {
      const call = randomCall(seed, false);
      for (const { event, commands } of call.steps) {
        for (const command of commands) {
          if (command.type !== 'commit' || command.role !== 'agent') continue;
          const committed = wordsOf(command.text, 'en').map(({ text }) => text);
          const played = call.player.wordsHeard(command.utterance);
          // Another commit, such as that of a typed message, does not wait for the last report.
          const isReported = event.type === 'play.done' || event.type === 'play.cleared';
          const expected = isReported ? played : played.slice(0, committed.length);
          assert.deepEqual(committed, expected, `seed ${seed}, utterance ${command.utterance}`);
          reported += isReported ? 1 : 0;
        }
      }
    }
    assert.ok(reported > 300);
  });

  it('keep them when the connection drops and when the page stops playing', () => {
    for (let seed = 1000; seed < 1060; seed += 1) randomCall(seed, true);
  });
});
