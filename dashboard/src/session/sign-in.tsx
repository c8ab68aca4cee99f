import { Alert, Anchor, Button, Code, Paper, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { AuthenticationError, VoiceAgentsError, type Whoami } from '../../../sdk/src/index.ts';
import { EyeIcon, EyeOffIcon, Logo } from '../icons.tsx';
import { useLanguage } from '../language/language.tsx';
import { describeError } from '../parts/error-state.tsx';
import { useFocusReturn } from '../parts/focus-return.ts';
import { Preferences } from '../shell/preferences.tsx';
import classes from './sign-in.module.css';
import { newClient } from './use-session.ts';

/** Why the page asks to sign in, if it is not the first time. */
export type SignInReason = 'key-refused' | 'link-refused' | null;

interface SignInProps {
  readonly onSignedIn: (key: string, whoami: Whoami) => void;
  readonly reason: SignInReason;
}

export function SignIn({ onSignedIn, reason }: SignInProps) {
  const { texts } = useLanguage();
  useEffect(() => {
    document.title = `${texts.signIn} · ${texts.product}`;
  }, [texts]);
  // After signing in, the focus starts at the top of the next page.
  useFocusReturn(true);
  return (
    <div className={classes.page}>
      <main className={classes.middle}>
        <Stack gap="lg">
          <Stack gap="xs" align="center">
            <Logo size={44} />
            <Title order={1} size="h3" ta="center">
              {texts.signInTitle}
            </Title>
            <Text c="dimmed" size="sm" ta="center" maw={340}>
              {texts.signInHint}
            </Text>
          </Stack>
          {reason !== null && (
            <Alert color="orange" role="alert">
              {reason === 'key-refused' ? texts.signedOutRefused : texts.signInLinkRefused}
            </Alert>
          )}
          <Paper withBorder p="lg" bg="var(--app-surface)">
            <KeyForm onSignedIn={onSignedIn} />
          </Paper>
          <Text size="xs" c="dimmed" ta="center">
            {texts.whereIsMyKey}
            <Code className={classes.command}>npx voice-agents keys create --workspace default</Code>
          </Text>
        </Stack>
      </main>
      <footer className={classes.footer}>
        <Anchor href="/docs/" size="sm">
          {texts.reference}
        </Anchor>
        <Preferences />
      </footer>
    </div>
  );
}

export function KeyForm({ onSignedIn }: Pick<SignInProps, 'onSignedIn'>) {
  const { texts } = useLanguage();
  const [key, setKey] = useState('');
  const [issue, setIssue] = useState<string | null>(null);
  const [isAsking, setIsAsking] = useState(false);
  const input = useRef<HTMLInputElement>(null);

  const refuse = (reason: string) => {
    setIssue(reason);
    input.current?.focus();
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const given = key.trim();
    if (given === '') return refuse(texts.apiKeyMissing);
    setIsAsking(true);
    try {
      onSignedIn(given, await newClient(given).whoami());
      setIsAsking(false);
    } catch (error) {
      setIsAsking(false);
      if (error instanceof AuthenticationError) refuse(texts.apiKeyRefused);
      else if (error instanceof VoiceAgentsError && error.name === 'VoiceAgentsError') refuse(texts.apiKeyMalformed);
      else refuse(describeError(error, texts).title);
    }
  };
  return (
    // Validated here in the language of the dashboard, not by the browser in its own.
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <PasswordInput
          ref={input}
          label={texts.apiKey}
          placeholder="vak_…"
          value={key}
          onChange={(event) => {
            setKey(event.currentTarget.value);
            setIssue(null);
          }}
          error={issue}
          size="md"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          // The input is the only purpose of this page.
          data-autofocus
          autoFocus
          visibilityToggleIcon={({ reveal }) => (reveal ? <EyeOffIcon /> : <EyeIcon />)}
          visibilityToggleButtonProps={{ 'aria-label': texts.show, tabIndex: 0 }}
        />
        <Button type="submit" size="md" fullWidth loading={isAsking}>
          {texts.signIn}
        </Button>
      </Stack>
    </form>
  );
}
