import type { PhoneNumber } from '../../../../sdk/src/index.ts';
import { useTexts } from '../../language/language.tsx';
import { Dot, type Tone } from '../../parts/dot.tsx';
import { numbersTexts } from './texts.ts';

const tones: Readonly<Record<PhoneNumber['status'], Tone>> = {
  verifying: 'warn',
  active: 'good',
  partial: 'warn',
  failed: 'bad',
};

export function NumberStatusDot({ status }: Pick<PhoneNumber, 'status'>) {
  return <Dot tone={tones[status]}>{useTexts(numbersTexts)[status]}</Dot>;
}
