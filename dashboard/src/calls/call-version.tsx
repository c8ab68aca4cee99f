import { Badge } from '@mantine/core';
import type { Call } from '../../../sdk/src/index.ts';
import { useTexts } from '../language/language.tsx';
import { callTexts } from './call-texts.ts';

/** The version of a call, marked if it was a draft: a test, and not a real conversation. */
export function CallVersion({ call }: { readonly call: Pick<Call, 'agentVersion' | 'isDraft'> }) {
  const texts = useTexts(callTexts);
  // A phone call that was refused before its agent was known.
  if (call.agentVersion === null) return '—';
  return (
    <span style={{ display: 'inline-flex', alignItems: 'center', gap: '0.35rem', whiteSpace: 'nowrap' }}>
      {texts.version(String(call.agentVersion))}
      {call.isDraft && (
        <Badge size="sm" variant="default" tt="none" fw={500}>
          {texts.draft}
        </Badge>
      )}
    </span>
  );
}
