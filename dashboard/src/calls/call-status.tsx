import { useTexts } from '../language/language.tsx';
import { Dot, type Tone } from '../parts/dot.tsx';
import type { CallStatus, CallType } from './call.ts';
import { callTexts, statusTexts } from './call-texts.ts';

const tones: Readonly<Record<CallStatus, Tone>> = {
  queued: 'warn',
  registered: 'warn',
  ringing: 'warn',
  ongoing: 'good',
  ended: 'quiet',
  not_connected: 'quiet',
  error: 'bad',
};

interface CallStatusDotProps {
  readonly status: CallStatus;
  readonly type?: CallType;
}

export function CallStatusDot({ status, type }: CallStatusDotProps) {
  const texts = useTexts(statusTexts);
  const { dialing } = useTexts(callTexts);
  // A phone call that waits does not wait for a caller: it is about to be dialed.
  return <Dot tone={tones[status]}>{type === 'phone' && status === 'registered' ? dialing : texts[status]}</Dot>;
}
