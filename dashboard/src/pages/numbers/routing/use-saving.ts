import { useQueryClient } from '@tanstack/react-query';
import type { PhoneNumber, UpdatePhoneNumber } from '../../../../../sdk/src/index.ts';
import { useTexts } from '../../../language/language.tsx';
import { useNotice } from '../../../parts/notice.ts';
import { useSingleMutation } from '../../../parts/single-mutation.ts';
import { phoneTexts } from '../../../phone/texts.ts';
import { useClient } from '../../../session/use-session.ts';

/** Changes a number. */
export function useSaving(number: PhoneNumber, onSaved: () => void) {
  const { saved } = useTexts(phoneTexts);
  const notice = useNotice();
  const { phoneNumbers } = useClient();
  const queryClient = useQueryClient();
  return useSingleMutation({
    mutationFn: async (changes: UpdatePhoneNumber) => await phoneNumbers.update(number.id, changes),
    onSuccess: (changed) => {
      queryClient.setQueryData(['phone', 'number', number.id], changed);
      queryClient.invalidateQueries({ queryKey: ['phone'] });
      notice(saved);
      onSaved();
    },
  });
}
