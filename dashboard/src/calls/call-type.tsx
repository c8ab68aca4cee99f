import type { Call } from '../../../sdk/src/index.ts';
import { useTexts } from '../language/language.tsx';
import { callTexts, typeTexts } from './call-texts.ts';

/** How caller and agent talk; of a phone call also who called. */
export function CallTypeText({ call: { type, direction } }: { readonly call: Pick<Call, 'type' | 'direction'> }) {
  const types = useTexts(typeTexts);
  const texts = useTexts(callTexts);
  if (type !== 'phone') return types[type];
  return direction === 'inbound' ? texts.phoneInbound : texts.phoneOutbound;
}
