import { useEffect, useRef, useState } from 'react';
import { ApiError, type PreviewVoice } from '../../../sdk/src/index.ts';
import { useTexts } from '../language/language.tsx';
import { useClient } from '../session/use-session.ts';
import { speechTexts } from './texts.ts';

export type PlayerState = 'idle' | 'loading' | 'playing';

export interface VoicePlayer {
  readonly state: PlayerState;
  /** Why the last one could not be heard. */
  readonly failure: string | null;
  play(body: PreviewVoice | (() => Promise<PreviewVoice | null>)): void;
  stop(): void;
}

/** Plays a sentence of a voice. The sound is decoded in memory: the page may not load media from elsewhere. */
export function useVoicePlayer(): VoicePlayer {
  const texts = useTexts(speechTexts);
  const client = useClient();
  const [state, setState] = useState<PlayerState>('idle');
  const [failure, setFailure] = useState<string | null>(null);
  const running = useRef<AbortController | null>(null);
  const stop = () => {
    running.current?.abort();
    running.current = null;
    setState('idle');
  };
  useEffect(() => () => running.current?.abort(), []);
  const run = async (given: Parameters<VoicePlayer['play']>[0], signal: AbortSignal) => {
    // Created by the click, or the browser would not let it make a sound.
    const context = new AudioContext();
    signal.addEventListener('abort', () => void context.close(), { once: true });
    const body = typeof given === 'function' ? await given() : given;
    if (body === null) throw new NoVoice();
    const file = await client.voices.preview(body, { signal });
    const sound = await context.decodeAudioData(file);
    if (signal.aborted) return;
    const source = new AudioBufferSourceNode(context, { buffer: sound });
    source.connect(context.destination);
    setState('playing');
    await new Promise((resolve) => {
      source.addEventListener('ended', resolve, { once: true });
      signal.addEventListener('abort', resolve, { once: true });
      source.start();
    });
  };
  const play: VoicePlayer['play'] = (given) => {
    stop();
    const controller = new AbortController();
    running.current = controller;
    setFailure(null);
    setState('loading');
    run(given, controller.signal)
      .catch((error: unknown) => {
        if (!controller.signal.aborted) setFailure(messageOf(error, texts));
      })
      .finally(() => {
        if (running.current === controller) stop();
      });
  };
  return { state, failure, play, stop };
}

class NoVoice extends Error {}

function messageOf(error: unknown, texts: { failed: string; noVoice: string; tooMany: string }): string {
  if (error instanceof NoVoice) return texts.noVoice;
  if (error instanceof ApiError && error.status === 422) return texts.noVoice;
  if (error instanceof ApiError && error.status === 429) return texts.tooMany;
  return texts.failed;
}
