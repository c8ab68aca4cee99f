import { Alert, Button, Code, List, Text } from '@mantine/core';
import { WarningIcon } from '../../icons.tsx';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { createLanguageNames } from '../../pages/agents/language-names.ts';
import { primary, type SpeechSettings, type SpeechSupport } from './speech-support.ts';
import { spokenErrorTexts, spokenTexts } from './texts.ts';

const installPackages = 'npm ci --include=optional';
const addJapaneseVoice = 'npx voice-agents speech add ja';

interface MissingSpeechProps {
  readonly support: SpeechSupport;
  readonly settings: SpeechSettings;
  /** Whether the call, once it runs, is recorded. */
  readonly isRecorded?: boolean;
  /** Starts a call without a microphone. Null if that is offered elsewhere, or a call is open. */
  readonly onType?: (() => void) | null;
}

/** What a call with this agent cannot do on this service, and what would help. */
export function MissingSpeech({ support, settings, isRecorded = false, onType = null }: MissingSpeechProps) {
  const { language: shown } = useLanguage();
  const texts = useTexts(spokenTexts);
  const errors = useTexts(spokenErrorTexts);
  const { speechIn, speechOut, unknown } = support;
  if (speechIn && speechOut && !isRecorded && unknown.length === 0) return null;
  const name = createLanguageNames(shown)(settings.language);
  const isBrowser = settings.sttProvider === 'browser';
  return (
    <Alert variant="default" icon={<WarningIcon />} py="xs" mx="md" mb="sm" ta="start">
      {isRecorded && <Text size="sm">{texts.recorded}</Text>}
      {unknown.map((provider) => (
        <Text key={provider} size="sm">
          {texts.unknownProvider(provider)}
        </Text>
      ))}
      {!speechIn && unknown.length === 0 && isBrowser && <Text size="sm">{errors.recognition_not_supported}</Text>}
      {!speechIn && unknown.length === 0 && !isBrowser && (
        <>
          <Text size="sm">{texts.noSpeechIn(name)}</Text>
          <List size="sm" my={4}>
            <List.Item>{speechOut ? texts.noSpeechInTyping : texts.noSpeechInTypingOnly}</List.Item>
            <List.Item>{texts.noSpeechInBrowser}</List.Item>
            <List.Item>
              <AddRecognition language={settings.language} />
            </List.Item>
          </List>
        </>
      )}
      {!speechOut && unknown.length === 0 && (
        <Text size="sm">
          {texts.noSpeechOut(name)} <AddVoice language={settings.language} />
        </Text>
      )}
      {!speechIn && unknown.length === 0 && onType !== null && (
        <Button size="compact-sm" variant="default" mt={6} onClick={onType}>
          {texts.startTyping}
        </Button>
      )}
    </Alert>
  );
}

function AddRecognition({ language }: { readonly language: string }) {
  const texts = useTexts(spokenTexts);
  if (primary(language) === 'ja') return texts.addJapaneseModel;
  if (primary(language) !== 'en') return texts.addProvider;
  return (
    <>
      {texts.addCommand} <Code>{installPackages}</Code>
    </>
  );
}

function AddVoice({ language }: { readonly language: string }) {
  const texts = useTexts(spokenTexts);
  const command = { ja: addJapaneseVoice, en: installPackages }[primary(language)];
  if (command === undefined) return texts.addProvider;
  return (
    <>
      {texts.addCommand} <Code>{command}</Code>
    </>
  );
}
