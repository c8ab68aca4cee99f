import { Autocomplete } from '@mantine/core';
import type { PreviewVoice } from '../../../../../sdk/src/index.ts';
import { useLanguage } from '../../../language/language.tsx';
import { PlayButton } from '../../../speech/play-button.tsx';
import { sampleText } from '../../../speech/texts.ts';
import { useVoicePlayer } from '../../../speech/use-voice-player.ts';
import { useProviders, useVoices } from '../../../speech/use-voices.ts';
import { createLanguageNames } from '../../agents/language-names.ts';
import { useDraftSpeech } from '../draft-speech.ts';
import { useAgentTexts } from '../texts.ts';
import { type ControlProps, inputProps } from './control.ts';
import classes from './controls.module.css';
import { fromText, textOf } from './text-control.tsx';

interface Suggestion {
  readonly value: string;
  /** What it is called, if that is more than its value. */
  readonly name?: string;
}

/** Languages that agents often have, before those of the providers. */
const commonLanguages = ['ja', 'en', 'en-US', 'en-GB', 'zh', 'ko'];
/** Of the providers' documentation. */
const voiceModels: Readonly<Record<string, readonly string[]>> = {
  elevenlabs: ['eleven_flash_v2_5', 'eleven_turbo_v2_5', 'eleven_multilingual_v2'],
  cartesia: ['sonic-3', 'sonic-3.5', 'sonic-latest'],
  openai: ['gpt-4o-mini-tts', 'tts-1', 'tts-1-hd'],
};

export function VoiceControl(props: ControlProps) {
  const texts = useAgentTexts();
  const { provider, language, model, speed, emotion } = useDraftSpeech();
  const voices = useVoices(provider, language);
  const player = useVoicePlayer();
  const voiceId = textOf(props.value);
  const known = voices.find((voice) => voice.voiceId === voiceId);
  const body: PreviewVoice = {
    provider: provider === 'auto' ? (known?.provider ?? 'auto') : provider,
    voiceId,
    ...(model !== null && { voiceModel: model }),
    voiceSpeed: speed,
    ...(emotion !== null && { voiceEmotion: emotion as NonNullable<PreviewVoice['voiceEmotion']> }),
    language: language === '' ? 'en' : language,
    text: sampleText(language),
  };
  const suggestions = voices.map(({ voiceId: value, name, provider: by }) => ({
    value,
    name: provider === 'auto' ? `${name} · ${by}` : name,
  }));
  return (
    <>
      <div className={classes.withButton}>
        <Suggested {...props} suggestions={suggestions} />
        <PlayButton player={player} name={known?.name ?? voiceId} body={body} isDisabled={voiceId === ''} />
      </div>
      <p className={classes.hint} role="status">
        {player.failure ?? known?.name ?? (voices.length > 0 ? texts.voicesToChoose(voices.length) : '')}
      </p>
    </>
  );
}

export function LanguageControl(props: ControlProps) {
  const { language } = useLanguage();
  const names = createLanguageNames(language);
  const providers = useProviders();
  const ofProviders = providers.flatMap(({ configured, languages }) => (configured ? languages : []));
  const tags = [...new Set([...commonLanguages, ...ofProviders.toSorted()])];
  return <Suggested {...props} suggestions={tags.map((value) => ({ value, name: names(value) }))} />;
}

export function VoiceModelControl(props: ControlProps) {
  const { provider } = useDraftSpeech();
  const configured = useProviders().filter((each) => each.configured && each.capabilities.includes('tts'));
  const names = provider === 'auto' ? configured.map(({ name }) => name) : [provider];
  const suggestions = names.flatMap((name) => (voiceModels[name] ?? []).map((value) => ({ value, name })));
  return <Suggested {...props} suggestions={suggestions} />;
}

export function ProviderControl(props: ControlProps) {
  const texts = useAgentTexts();
  const capability = props.field.name === 'sttProvider' ? 'stt' : 'tts';
  const providers = useProviders().filter(({ capabilities }) => capabilities.includes(capability));
  const suggestions = providers.map(({ name, configured }) => ({
    value: name,
    ...(!configured && { name: texts.notConnected }),
  }));
  return <Suggested {...props} suggestions={[{ value: 'auto', name: texts.firstConnected }, ...suggestions]} />;
}

/** A text with suggestions. Any other text is as good: the service knows fewer voices than providers have. */
function Suggested({ suggestions, ...props }: ControlProps & { readonly suggestions: readonly Suggestion[] }) {
  const { value, onChange, isReadOnly } = props;
  const byValue = new Map(suggestions.map((each) => [each.value, each.name]));
  return (
    <Autocomplete
      {...inputProps(props)}
      type="text"
      className={classes.suggested as string}
      classNames={{ input: classes.input as string }}
      data={[...byValue.keys()]}
      value={textOf(value)}
      onChange={(text) => onChange(fromText(text, props))}
      readOnly={isReadOnly}
      autoComplete="off"
      spellCheck={false}
      limit={200}
      maxDropdownHeight={280}
      openOnFocus={false}
      comboboxProps={{ shadow: 'md' }}
      filter={({ options, search }) => matching(options, search, byValue)}
      renderOption={({ option }) => <Option value={option.value} name={byValue.get(option.value)} />}
    />
  );
}

/** All of them if the text is one of them: whoever opens the list then wants another one. */
function matching<Each>(options: Each[], search: string, names: ReadonlyMap<string, string | undefined>): Each[] {
  const wanted = search.trim().toLowerCase();
  if (wanted === '' || names.has(search)) return options;
  return options.filter((option) => {
    const { value } = option as { readonly value?: string };
    return value !== undefined && `${value} ${names.get(value) ?? ''}`.toLowerCase().includes(wanted);
  });
}

function Option({ value, name }: { readonly value: string; readonly name: string | undefined }) {
  return (
    <span className={classes.option}>
      <span>{name ?? value}</span>
      {name !== undefined && <code>{value}</code>}
    </span>
  );
}
