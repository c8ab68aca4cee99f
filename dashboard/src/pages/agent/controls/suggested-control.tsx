import { Autocomplete, Button } from '@mantine/core';
import type { PreviewVoice, Voice } from '../../../../../sdk/src/index.ts';
import { useLanguage, useTexts } from '../../../language/language.tsx';
import classes from '../../../parts/controls.module.css';
import { PlayButton } from '../../../speech/play-button.tsx';
import { replacedVoice } from '../../../speech/replaced-voice.ts';
import { sampleText, speechTexts } from '../../../speech/texts.ts';
import { useVoicePlayer } from '../../../speech/use-voice-player.ts';
import { useProviders, useVoices } from '../../../speech/use-voices.ts';
import { createLanguageNames } from '../../agents/language-names.ts';
import { useDraftSpeech } from '../draft-speech.ts';
import { languageModels, testModels, voiceModels } from '../suggested-models.ts';
import { useAgentTexts } from '../texts.ts';
import { type ControlProps, inputProps, type Suggestion } from './control.ts';
import { fromText, textOf } from './text-control.tsx';
import { WordsControl } from './words-control.tsx';

/** Languages that agents often have, before those of the providers. */
const commonLanguages = ['ja', 'en', 'en-US', 'en-GB', 'zh', 'ko'];

export function VoiceControl(props: ControlProps) {
  const texts = useAgentTexts();
  const speech = useTexts(speechTexts);
  const { provider, language, model, speed, emotion } = useDraftSpeech();
  const voices = useVoices(provider, language);
  const providers = useProviders();
  const player = useVoicePlayer();
  const wanted = textOf(props.value);
  const replaced = replacedVoice(providers, voices, { voiceId: wanted, ttsProvider: provider, language });
  // What a call would use is what is played.
  const voiceId = replaced?.voiceId ?? wanted;
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
        {player.failure ??
          (replaced === null ? known?.name : speech.replaced(wanted, replaced.voiceId)) ??
          (voices.length > 0 ? texts.voicesToChoose(voices.length) : '')}
      </p>
      {replaced !== null && !props.isReadOnly && <VoicePicker voices={voices} onPick={props.onChange} />}
    </>
  );
}

/** Beyond these, the list of the field is easier to read. */
const maxPicked = 6;

/** The voices that there are, one click away. */
function VoicePicker({ voices, onPick }: { readonly voices: readonly Voice[]; readonly onPick: (id: string) => void }) {
  const { chooseVoice } = useTexts(speechTexts);
  return (
    <fieldset className={classes.picker} aria-label={chooseVoice}>
      {voices.slice(0, maxPicked).map(({ voiceId, name }) => (
        <Button key={voiceId} size="compact-sm" variant="default" title={name} onClick={() => onPick(voiceId)}>
          {voiceId}
        </Button>
      ))}
    </fieldset>
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

/** Models of a provider that is not connected are suggested, too: it may be connected later. */
export function ModelControl(props: ControlProps) {
  const texts = useAgentTexts();
  const providers = useProviders().filter(({ capabilities }) => capabilities.includes('llm'));
  const ofProviders = providers.flatMap(({ name, configured }) =>
    (languageModels[name] ?? []).map((value) => ({
      value,
      name: configured ? name : `${name} · ${texts.notConnected}`,
    })),
  );
  const ofService = (testModels[props.field.name] ?? []).map((value) => ({ value, name: texts.testModel }));
  return <Suggested {...props} suggestions={[...ofProviders, ...ofService]} />;
}

export function VoicesControl(props: ControlProps) {
  const { provider, language } = useDraftSpeech();
  const voices = useVoices(provider, language);
  return <WordsControl {...props} suggestions={voices.map(({ voiceId: value, name }) => ({ value, name }))} />;
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

/** All of them if the text is one of them: a user who opens the list then wants a different one. */
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
