import { useTexts } from '../language/language.tsx';
import { Dot, type Tone } from '../parts/dot.tsx';
import type { CallStatus } from './call.ts';
import { statusTexts } from './call-texts.ts';

const tones: Readonly<Record<CallStatus, Tone>> = {
  queued: 'warn',
  registered: 'warn',
  ringing: 'warn',
  ongoing: 'good',
  ended: 'quiet',
  not_connected: 'quiet',
  error: 'bad',
};

export function CallStatusDot({ status }: { readonly status: CallStatus }) {
  return <Dot tone={tones[status]}>{useTexts(statusTexts)[status]}</Dot>;
}
