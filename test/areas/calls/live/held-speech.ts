import type { SpeechRegistry } from '../../../../src/voice/providers/registry.ts';
import type { Stt, Tts } from '../../../../src/voice/speech-ports.ts';
import type { CallTime } from '../../../support/call-time.ts';

/** The same speech, for which the time of the call stands still: a thread may take as long as it needs for an answer. */
export function heldSpeech(speech: SpeechRegistry, time: CallTime): SpeechRegistry {
  return {
    ...speech,
    stt: (name, language) => held(speech.stt(name, language), (stt) => heldStt(stt, time)),
    tts: (name, language) => held(speech.tts(name, language), (tts) => heldTts(tts, time)),
  };
}

function held<Part>(part: Part | null, hold: (part: Part) => Part): Part | null {
  return part === null ? null : hold(part);
}

/** From a flush to its final. */
function heldStt(stt: Stt, time: CallTime): Stt {
  return {
    ...stt,
    open: (options, events) => {
      const releases: (() => void)[] = [];
      const releaseAll = () => {
        for (const release of releases.splice(0)) release();
      };
      const stream = stt.open(options, {
        ...events,
        final: (...given) => {
          releases.shift()?.();
          events.final(...given);
        },
        failed: (...given) => {
          releaseAll();
          events.failed(...given);
        },
      });
      return {
        write: (samples) => stream.write(samples),
        flush: () => {
          releases.push(time.hold());
          stream.flush();
        },
        close: () => {
          releaseAll();
          stream.close();
        },
      };
    },
  };
}

/** From the first words of an utterance to the end of its audio. */
function heldTts(tts: Tts, time: CallTime): Tts {
  return {
    ...tts,
    open: (options, events) => {
      let release = () => {};
      const stream = tts.open(options, {
        ...events,
        done: () => {
          release();
          events.done();
        },
        failed: (detail) => {
          release();
          events.failed(detail);
        },
      });
      return {
        say: (text, isLast) => {
          release();
          release = time.hold();
          stream.say(text, isLast);
        },
        cancel: () => {
          release();
          stream.cancel();
        },
      };
    },
  };
}
