import { useState } from 'react';
import type { Call } from '../../../../sdk/src/index.ts';
import { isOpen } from '../../calls/call.ts';
import { EyeOffIcon, TrashIcon } from '../../icons.tsx';
import { useTexts } from '../../language/language.tsx';
import { MoreItem, MoreMenu } from '../../parts/more-menu.tsx';
import { GuardedButton } from '../../parts/scope-guard.tsx';
import { useScope } from '../../session/use-session.ts';
import { DeleteCall } from './delete-call.tsx';
import { EndCall } from './end-call.tsx';
import { RedactCall } from './redact-call.tsx';
import { callPageTexts } from './texts.ts';

/** Ending an open call; removing its content or all of it once it is over. */
export function CallActions({ call }: { readonly call: Call }) {
  const texts = useTexts(callPageTexts);
  const { reason: lacking } = useScope('calls:write');
  const [dialog, setDialog] = useState<'end' | 'redact' | 'delete' | null>(null);
  const close = () => setDialog(null);
  const reason = lacking ?? (isOpen(call) ? texts.stillOpen : null);
  return (
    <>
      {isOpen(call) && (
        <GuardedButton scope="calls:write" variant="default" onClick={() => setDialog('end')}>
          {texts.end}
        </GuardedButton>
      )}
      <MoreMenu label={texts.more}>
        <MoreItem reason={reason} icon={<EyeOffIcon size={16} />} onClick={() => setDialog('redact')}>
          {texts.redact}
        </MoreItem>
        <MoreItem reason={reason} icon={<TrashIcon size={16} />} isDangerous onClick={() => setDialog('delete')}>
          {texts.delete}
        </MoreItem>
      </MoreMenu>
      {dialog === 'end' && <EndCall call={call} onClose={close} />}
      {dialog === 'redact' && <RedactCall call={call} onClose={close} />}
      {dialog === 'delete' && <DeleteCall call={call} onClose={close} />}
    </>
  );
}
