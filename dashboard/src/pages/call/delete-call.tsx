import { useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import type { Call } from '../../../../sdk/src/index.ts';
import { useTexts } from '../../language/language.tsx';
import { DeleteDialog } from '../../parts/delete-dialog.tsx';
import { useClient } from '../../session/use-session.ts';
import { callPageTexts } from './texts.ts';

export function DeleteCall({ call, onClose }: { readonly call: Call; readonly onClose: () => void }) {
  const texts = useTexts(callPageTexts);
  const { calls } = useClient();
  const queryClient = useQueryClient();
  const [, navigate] = useLocation();
  return (
    <DeleteDialog
      title={texts.deleteTitle}
      confirm={texts.deleteDo}
      text={texts.deleteText}
      done={texts.deleteDone}
      queryKey={['calls']}
      onDelete={() => calls.delete(call.id)}
      onDone={() => {
        navigate('/calls');
        queryClient.removeQueries({ queryKey: ['call', call.id] });
      }}
      onClose={onClose}
    />
  );
}
