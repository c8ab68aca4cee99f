import { Button, Divider, Popover, Text, UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import { CheckIcon, ChevronDownIcon, CloseIcon, SignOutIcon } from '../icons.tsx';
import { useLanguage } from '../language/language.tsx';
import { allScopes, useSession } from '../session/use-session.ts';
import classes from './shell.module.css';

/** The current key, its scopes, and the sign-out button. */
export function Account() {
  const { texts } = useLanguage();
  const { whoami, signOut } = useSession();
  const [isOpen, setIsOpen] = useState(false);
  const keyName = whoami.keyName ?? texts.unnamedKey;
  return (
    // A dialog and not a menu, because menus cannot contain text.
    <Popover position="bottom-start" width={304} shadow="md" opened={isOpen} onChange={setIsOpen} trapFocus returnFocus>
      <Popover.Target>
        <UnstyledButton className={classes.account} onClick={() => setIsOpen(!isOpen)}>
          <span className={classes.initial} aria-hidden="true">
            {[...whoami.workspaceName][0]?.toUpperCase()}
          </span>
          <span className={classes.accountText}>
            <span className="visually-hidden">{texts.workspace}: </span>
            <span className={classes.workspace}>{whoami.workspaceName}</span>
            <span className={classes.keyName}>{keyName}</span>
          </span>
          <ChevronDownIcon size={16} />
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown className={classes.accountDropdown as string}>
        <div className={classes.accountDetails}>
          <Text size="xs" c="dimmed">
            {texts.workspace}
          </Text>
          <Text fw={600}>{whoami.workspaceName}</Text>
          <Text size="xs" c="dimmed" ff="monospace">
            {whoami.workspaceId}
          </Text>
          <Divider my="xs" />
          <Text size="xs" c="dimmed" mb={6}>
            {texts.scopesOfKey}
          </Text>
          <ul className={classes.scopes}>
            {allScopes.map((scope) => {
              const isAllowed = whoami.scopes.includes(scope);
              return (
                <li key={scope} data-is-missing={!isAllowed || undefined}>
                  {isAllowed ? <CheckIcon size={14} /> : <CloseIcon size={14} />}
                  <span>{scope}</span>
                  <span className="visually-hidden">{isAllowed ? texts.scopeAllowed : texts.scopeMissing}</span>
                </li>
              );
            })}
          </ul>
        </div>
        <Divider my={4} />
        <Button
          variant="subtle"
          color="gray"
          fullWidth
          justify="flex-start"
          leftSection={<SignOutIcon size={16} />}
          onClick={() => {
            setIsOpen(false);
            signOut();
          }}
        >
          {texts.signOut}
        </Button>
      </Popover.Dropdown>
    </Popover>
  );
}
