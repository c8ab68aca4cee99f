import { recordingRate } from '../audio/call-recording.ts';
import { Resampler } from '../audio/resample.ts';
import type { CallAudio } from './spoken-session-parts.ts';

/** Recognizers and detectors hear this, whatever the caller's side sends: except test speech, which is in the samples. */
export const hearingRate = recordingRate;

/** Converts the audio of a connection, which has rates of its own, for recognition and for the recording. */
export class CallRates {
  /** Samples per second of what the agent says. */
  output = 0;
  private hearing: Resampler | null = null;
  private recording: Resampler | null = null;

  constructor(audio: CallAudio) {
    this.set(audio);
  }

  /** A new connection may have other rates. */
  set({ inputRate, transport }: CallAudio): void {
    this.output = transport.rate;
    this.hearing = inputRate === hearingRate ? null : new Resampler(inputRate, hearingRate);
    this.recording = transport.rate === recordingRate ? null : new Resampler(transport.rate, recordingRate);
  }

  /** What the caller said. */
  heard(samples: Int16Array): Int16Array {
    return this.hearing?.process(samples) ?? samples;
  }

  /** What the agent said. */
  recorded(samples: Int16Array): Int16Array {
    return this.recording?.process(samples) ?? samples;
  }
}
