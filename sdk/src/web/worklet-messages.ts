/** What the page and the audio thread tell each other. */

export interface CaptureOptions {
  readonly contextRate: number;
  readonly rate: number;
  /** A frame of 20 ms, and its level: 0 to 1, root mean square. */
  readonly onFrame: (frame: Int16Array, level: number) => void;
}

/** `done`: all that has arrived was played. More can follow, if the network was slow. */
export type PlaybackState = 'playing' | 'paused' | 'done' | 'cleared';

export interface PlaybackOptions {
  readonly contextRate: number;
  readonly rate: number;
  /** How many samples of an utterance have been played in total. */
  readonly onPlayed: (utterance: number, samples: number) => void;
  readonly onState: (utterance: number, state: PlaybackState) => void;
  /** 0 to 1, root mean square of the last 100 ms. */
  readonly onLevel: (level: number) => void;
}

/** From the page to the audio thread. */
export type PlaybackCommand =
  | { readonly type: 'announce' | 'pause' | 'resume' | 'clear'; readonly utterance: number }
  | { readonly type: 'audio'; readonly audio: ArrayBuffer }
  | { readonly type: 'reset' };

/** From the audio thread to the page. */
export type AudioReport =
  | { readonly type: 'frame'; readonly audio: ArrayBuffer; readonly level: number }
  | { readonly type: 'played'; readonly utterance: number; readonly samples: number }
  | { readonly type: 'state'; readonly utterance: number; readonly state: PlaybackState }
  | { readonly type: 'level'; readonly level: number };

/** The audio thread's end of the channel between both. */
export interface WorkletPort {
  onmessage: ((message: { data: never }) => void) | null;
  postMessage(data: unknown, moved?: unknown[]): void;
}
