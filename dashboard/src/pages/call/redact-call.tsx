import { Radio, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Call, RedactCall as RedactCallBody } from '../../../../sdk/src/index.ts';
import { useTexts } from '../../language/language.tsx';
import { ActionDialog } from '../../parts/dialog.tsx';
import { useNotice } from '../../parts/notice.ts';
import { useSingleMutation } from '../../parts/single-mutation.ts';
import { useClient } from '../../session/use-session.ts';
import { callPageTexts } from './texts.ts';

export function RedactCall({ call, onClose }: { readonly call: Call; readonly onClose: () => void }) {
  const texts = useTexts(callPageTexts);
  const notice = useNotice();
  const { calls } = useClient();
  const queryClient = useQueryClient();
  const canKeepRest = call.dataStorageSetting === 'everything';
  const [to, setTo] = useState<RedactCallBody['to']>(canKeepRest ? 'everything_except_pii' : 'basic_attributes_only');
  const redaction = useSingleMutation({
    mutationFn: async () => await calls.redact(call.id, { to }),
    onSuccess: (redacted) => {
      // Events, transcript and recording as well, which no longer say the same.
      for (const part of ['transcript', 'recording', 'peaks']) {
        queryClient.removeQueries({ queryKey: ['call', call.id, part] });
      }
      queryClient.setQueryData(['call', call.id], redacted);
      queryClient.invalidateQueries({ queryKey: ['calls'] });
      notice(texts.redactDone);
      onClose();
    },
  });
  return (
    <ActionDialog
      title={texts.redactTitle}
      confirm={to === 'basic_attributes_only' ? texts.redactAll : texts.redactPii}
      action={redaction}
      isDangerous
      onConfirm={redaction.mutate}
      onClose={onClose}
    >
      <Text size="sm">{texts.redactText}</Text>
      <Radio.Group
        value={to}
        onChange={(chosen) => setTo(chosen as RedactCallBody['to'])}
        aria-label={texts.redactTitle}
      >
        <Stack gap="sm">
          <Radio
            value="everything_except_pii"
            label={texts.redactPii}
            description={canKeepRest ? texts.redactPiiText : texts.redactSame}
            disabled={!canKeepRest}
          />
          <Radio value="basic_attributes_only" label={texts.redactAll} description={texts.redactAllText} />
        </Stack>
      </Radio.Group>
    </ActionDialog>
  );
}
