import { ActionIcon, Menu, Text, TextInput, Tooltip } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { ConflictError, type PhoneNumber, type TestPhoneNumber } from '../../../../sdk/src/index.ts';
import { CallIcon, LockIcon, MoreIcon } from '../../icons.tsx';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { deleteExisting } from '../../parts/delete-existing.ts';
import { ActionDialog } from '../../parts/dialog.tsx';
import { describeError } from '../../parts/error-state.tsx';
import { useFocusReturn } from '../../parts/focus-return.ts';
import { useNotice } from '../../parts/notice.ts';
import { GuardedButton } from '../../parts/scope-guard.tsx';
import { useSingleMutation } from '../../parts/single-mutation.ts';
import { formatNumber } from '../../phone/number-format.ts';
import { serviceIssues } from '../../phone/service-issues.ts';
import { phoneTexts } from '../../phone/texts.ts';
import { useCarrier } from '../../phone/use-phone.ts';
import { useClient, useScope } from '../../session/use-session.ts';
import { numbersTexts } from './texts.ts';

type TestPhone = NonNullable<TestPhoneNumber['phone']>;
type OpenDialog = 'rename' | 'delete';

/** What can be done with a number. */
export function NumberActions({ number }: { readonly number: PhoneNumber }) {
  const texts = useTexts(numbersTexts);
  const shared = useTexts(phoneTexts);
  const [, navigate] = useLocation();
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
      <MoreMenu isTest={isTest} onTest={test.mutate} onOpen={setOpen} />
      {open === 'rename' && <Rename number={number} onClose={close} />}
      {open === 'delete' && (
        <DeleteNumber number={number} onClose={close} onDone={() => navigate('/numbers', { replace: true })} />
      )}
    </>
  );
}

interface MoreMenuProps {
  readonly isTest: boolean;
  readonly onTest: (phone: TestPhone) => void;
  readonly onOpen: (dialog: OpenDialog) => void;
}

function MoreMenu({ isTest, onTest, onOpen }: MoreMenuProps) {
  const { texts: general } = useLanguage();
  const texts = useTexts(numbersTexts);
  const shared = useTexts(phoneTexts);
  const { isAllowed, reason } = useScope('phone-numbers:write');
  const tests = [
    { label: texts.testKeys, run: () => onTest('12') },
    { label: texts.testSilent, run: () => onTest('11') },
    { label: texts.testShort, run: () => onTest('08') },
  ];
  const items = [
    ...(isTest ? tests : []),
    { label: texts.rename, run: () => onOpen('rename') },
    { label: shared.delete, run: () => onOpen('delete'), color: 'var(--app-bad)' },
  ];
  return (
    <Menu position="bottom-end" width={260} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <ActionIcon variant="default" size={36} aria-label={shared.more}>
          <MoreIcon />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {items.map(({ label, run, ...rest }) => (
          <Tooltip key={label} label={reason ?? general.lacksScopeTitle} disabled={isAllowed} position="left">
            <Menu.Item
              {...(isAllowed ? rest : { leftSection: <LockIcon size={16} /> })}
              // Still focusable, so that keyboard users can find out why it is disabled.
              aria-disabled={!isAllowed || undefined}
              data-disabled={!isAllowed}
              closeMenuOnClick={isAllowed}
              onClick={() => isAllowed && run()}
            >
              {label}
              {!isAllowed && <span className="visually-hidden">: {reason}</span>}
            </Menu.Item>
          </Tooltip>
        ))}
      </Menu.Dropdown>
    </Menu>
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

interface NumberDialogProps {
  readonly number: PhoneNumber;
  readonly onClose: () => void;
}

function Rename({ number, onClose }: NumberDialogProps) {
  const texts = useTexts(numbersTexts);
  const { save, saved } = useTexts(phoneTexts);
  const notice = useNotice();
  const { phoneNumbers } = useClient();
  const queryClient = useQueryClient();
  const [name, setName] = useState(number.name);
  const [hasTried, setHasTried] = useState(false);
  const saving = useSingleMutation({
    mutationFn: async () => await phoneNumbers.update(number.id, { name: name.trim() }),
    onSuccess: (changed) => {
      queryClient.setQueryData(['phone', 'number', number.id], changed);
      queryClient.invalidateQueries({ queryKey: ['phone'] });
      notice(saved);
      onClose();
    },
  });
  const issue = name.trim() === '' ? texts.nameMissing : undefined;
  const found = serviceIssues(saving.error).name;
  const submit = () => {
    setHasTried(true);
    if (issue === undefined) saving.mutate();
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

function DeleteNumber({ number, onClose, onDone }: NumberDialogProps & { readonly onDone: () => void }) {
  const texts = useTexts(numbersTexts);
  const notice = useNotice();
  const { phoneNumbers } = useClient();
  const queryClient = useQueryClient();
  const deletion = useSingleMutation({
    mutationFn: () => deleteExisting(phoneNumbers.delete(number.id)),
    onSuccess: () => {
      notice(texts.deleteDone, 'plain');
      onDone();
      queryClient.invalidateQueries({ queryKey: ['phone', 'numbers'] });
    },
  });
  const isInUse = deletion.error instanceof ConflictError && deletion.error.code === 'RESOURCE_IN_USE';
  return (
    <ActionDialog
      title={texts.deleteTitle(formatNumber(number.number))}
      confirm={texts.deleteDo}
      isDangerous
      action={deletion}
      explanation={isInUse ? texts.deleteInUse : undefined}
      onConfirm={deletion.mutate}
      onClose={onClose}
    >
      <Text size="sm">{texts.deleteText}</Text>
    </ActionDialog>
  );
}
