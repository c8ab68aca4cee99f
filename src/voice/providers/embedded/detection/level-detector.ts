import type { Detector } from '../../../speech-ports.ts';
import { NoiseGate } from '../noise-gate.ts';

/** Any sound counts as speech: the only detection without the packages. */
export const levelDetector: Detector = {
  name: 'level',
  open(rate, events) {
    let written = 0;
    let begin: number | null = null;
    let end = 0;
    const gate = new NoiseGate(rate, {
      pass: (frame, position, isLoud) => {
        if (!isLoud) return;
        end = position + frame.length;
        if (begin !== null) return;
        begin = position;
        events.start(Math.max(0, written - begin));
      },
      closed: () => {
        begin = null;
        events.end(Math.max(0, written - end));
      },
    });
    return {
      write(samples) {
        written += samples.length;
        gate.write(samples);
      },
      close() {},
    };
  },
};
