import { TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { PhoneNumber, TestPhoneNumber } from '../../../../sdk/src/index.ts';
import { CallIcon } from '../../icons.tsx';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { DeleteDialog } from '../../parts/delete-dialog.tsx';
import { ActionDialog } from '../../parts/dialog.tsx';
import { describeError } from '../../parts/error-state.tsx';
import { useFocusReturn } from '../../parts/focus-return.ts';
import { MoreItem, MoreMenu } from '../../parts/more-menu.tsx';
import { useNotice } from '../../parts/notice.ts';
import { GuardedButton } from '../../parts/scope-guard.tsx';
import { useSingleMutation } from '../../parts/single-mutation.ts';
import { formatNumber } from '../../phone/number-format.ts';
import { serviceIssues } from '../../phone/service-issues.ts';
import { phoneTexts } from '../../phone/texts.ts';
import { useCarrier } from '../../phone/use-phone.ts';
import { useClient, useScope } from '../../session/use-session.ts';
import { useSaving } from './routing/use-saving.ts';
import { numbersTexts } from './texts.ts';

type TestPhone = NonNullable<TestPhoneNumber['phone']>;
type OpenDialog = 'rename' | 'delete';

/** What can be done with a number. */
export function NumberActions({ number }: { readonly number: PhoneNumber }) {
  const texts = useTexts(numbersTexts);
  const shared = useTexts(phoneTexts);
  const [, navigate] = useLocation();
  const { phoneNumbers } = useClient();
  const [open, setOpen] = useState<OpenDialog | null>(null);
  const close = () => setOpen(null);
  useFocusReturn(open !== null);
  const isTest = useCarrier(number.carrierId)?.provider === 'test';
  const test = useTestCall(number);
  const verification = useVerification(number);
  return (
    <>
      <GuardedButton
        scope="phone-numbers:write"
        variant="default"
        loading={verification.isPending}
        onClick={verification.mutate}
      >
        {shared.verify}
      </GuardedButton>
      {isTest && (
        <GuardedButton
          scope="phone-numbers:write"
          leftSection={<CallIcon size={16} />}
          loading={test.isPending}
          onClick={() => test.mutate('01')}
        >
          {texts.testCall}
        </GuardedButton>
      )}
      <NumberMenu isTest={isTest} onTest={test.mutate} onOpen={setOpen} />
      {open === 'rename' && <Rename number={number} onClose={close} />}
      {open === 'delete' && (
        <DeleteDialog
          title={texts.deleteTitle(formatNumber(number.number))}
          confirm={texts.deleteDo}
          text={texts.deleteText}
          inUse={texts.deleteInUse}
          done={texts.deleteDone}
          queryKey={['phone', 'numbers']}
          onDelete={() => phoneNumbers.delete(number.id)}
          onDone={() => navigate('/numbers', { replace: true })}
          onClose={close}
        />
      )}
    </>
  );
}

interface NumberMenuProps {
  readonly isTest: boolean;
  readonly onTest: (phone: TestPhone) => void;
  readonly onOpen: (dialog: OpenDialog) => void;
}

function NumberMenu({ isTest, onTest, onOpen }: NumberMenuProps) {
  const texts = useTexts(numbersTexts);
  const shared = useTexts(phoneTexts);
  const { reason } = useScope('phone-numbers:write');
  return (
    <MoreMenu label={shared.more} width={260}>
      {isTest && (
        <>
          <MoreItem reason={reason} onClick={() => onTest('12')}>
            {texts.testKeys}
          </MoreItem>
          <MoreItem reason={reason} onClick={() => onTest('11')}>
            {texts.testSilent}
          </MoreItem>
          <MoreItem reason={reason} onClick={() => onTest('08')}>
            {texts.testShort}
          </MoreItem>
        </>
      )}
      <MoreItem reason={reason} onClick={() => onOpen('rename')}>
        {texts.rename}
      </MoreItem>
      <MoreItem reason={reason} isDangerous onClick={() => onOpen('delete')}>
        {shared.delete}
      </MoreItem>
    </MoreMenu>
  );
}

/** A phone of the test carrier calls the number, and the page of the call opens. */
function useTestCall(number: PhoneNumber) {
  const { texts: general } = useLanguage();
  const notice = useNotice();
  const { phoneNumbers } = useClient();
  const [, navigate] = useLocation();
  return useSingleMutation({
    mutationFn: async (phone: TestPhone) => await phoneNumbers.test(number.id, { phone }),
    onSuccess: ({ callId }) => navigate(`/calls/${callId}`),
    onError: (error) => notice(failureText(error, general), 'bad'),
  });
}

function useVerification(number: PhoneNumber) {
  const { texts: general } = useLanguage();
  const texts = useTexts(numbersTexts);
  const notice = useNotice();
  const { phoneNumbers } = useClient();
  const queryClient = useQueryClient();
  return useSingleMutation({
    mutationFn: async () => await phoneNumbers.verify(number.id),
    onSuccess: (verified) => {
      queryClient.setQueryData(['phone', 'number', number.id], verified);
      queryClient.invalidateQueries({ queryKey: ['phone'] });
      notice(texts.verified, 'plain');
    },
    onError: (error) => notice(failureText(error, general), 'bad'),
  });
}

function failureText(error: Error, texts: ReturnType<typeof useLanguage>['texts']): string {
  const { title, advice } = describeError(error, texts);
  return title === texts.failed ? advice : title;
}

function Rename({ number, onClose }: { readonly number: PhoneNumber; readonly onClose: () => void }) {
  const texts = useTexts(numbersTexts);
  const { save } = useTexts(phoneTexts);
  const [name, setName] = useState(number.name);
  const [hasTried, setHasTried] = useState(false);
  const saving = useSaving(number, onClose);
  const issue = name.trim() === '' ? texts.nameMissing : undefined;
  const found = serviceIssues(saving.error).name;
  const submit = () => {
    setHasTried(true);
    if (issue === undefined) saving.mutate({ name: name.trim() });
  };
  return (
    <ActionDialog
      title={texts.rename}
      confirm={save}
      isForm
      action={saving}
      failure={found === undefined ? undefined : null}
      onConfirm={submit}
      onClose={onClose}
    >
      <TextInput
        label={texts.name}
        value={name}
        maxLength={255}
        error={(hasTried ? issue : undefined) ?? found}
        onChange={({ currentTarget: { value } }) => setName(value)}
        data-autofocus
      />
    </ActionDialog>
  );
}
