import { Switch, Title } from '@mantine/core';
import { useTexts } from '../../language/language.tsx';
import { inBothLanguages } from '../../language/texts.ts';
import { type FieldName, placeOf } from './fields.ts';
import classes from './form.module.css';
import { isObject, isSame, type Values } from './values.ts';

const recordingTexts = inBothLanguages(
  {
    title: 'Recording',
    label: 'Record calls',
    meaning: 'Spoken calls are recorded, with the caller and the agent on separate channels. Chats are not.',
    unreadable: 'The setting in “Additional settings” cannot be shown here. Correct it there, as JSON.',
    notStored: 'Recordings are only kept if everything is stored: see “Data storage” above.',
  },
  {
    title: '録音',
    label: '通話を録音する',
    meaning: '音声通話を録音します。発信者とエージェントは別々のチャンネルに記録されます。チャットは対象外です。',
    unreadable: '「その他の設定」の値をここに表示できません。JSONを修正してください。',
    notStored: '録音が保存されるのは、すべてを保存する設定の場合だけです。上の設定を確認してください。',
  },
);

interface RecordingFieldProps {
  readonly base: Values;
  readonly values: Values;
  readonly isReadOnly: boolean;
  readonly onChange: (name: FieldName, value: unknown) => void;
}

/** Whether the calls of an agent are recorded (`agentSettings.calls.recordingEnabled`). */
export function RecordingField({ base, values, isReadOnly, onChange }: RecordingFieldProps) {
  const texts = useTexts(recordingTexts);
  const { agentSettings, dataStorageSetting } = values;
  const recording = recordingIn(agentSettings);
  const id = placeOf('agentSettings.calls.recordingEnabled');
  return (
    <section
      className={classes.group}
      id={placeOf('agentSettings.calls')}
      tabIndex={-1}
      aria-labelledby="group-recording"
    >
      <Title order={2} className={classes.groupTitle as string} id="group-recording">
        {texts.title}
      </Title>
      <div className={classes.row} data-is-changed={!isSame(recordingIn(base.agentSettings), recording) || undefined}>
        <div>
          <label className={classes.label} htmlFor={id}>
            {texts.label}
          </label>
          <p className={classes.meaning} id={`${id}-meaning`}>
            {recording === null ? texts.unreadable : texts.meaning}
          </p>
        </div>
        <div className={classes.control}>
          <Switch
            id={id}
            aria-describedby={`${id}-meaning`}
            checked={recording === true}
            disabled={isReadOnly || recording === null}
            onChange={({ currentTarget }) =>
              onChange('agentSettings', withRecording(agentSettings, currentTarget.checked))
            }
          />
          {recording === true && dataStorageSetting !== 'everything' && (
            <p className={classes.issue}>{texts.notStored}</p>
          )}
        </div>
      </div>
    </section>
  );
}

/** Null: it is something else than true or false. */
function recordingIn(settings: unknown): boolean | null {
  if (settings === undefined) return false;
  const { calls } = isObject(settings) ? settings : { calls: null };
  if (calls === undefined) return false;
  if (!isObject(calls)) return null;
  const { recordingEnabled = false } = calls;
  return typeof recordingEnabled === 'boolean' ? recordingEnabled : null;
}

/** Off is the default, so that it leaves nothing behind. */
function withRecording(settings: unknown, isOn: boolean): unknown {
  const { calls, ...others } = isObject(settings) ? settings : {};
  const { recordingEnabled: _, ...rest } = isObject(calls) ? calls : {};
  const next = isOn ? { ...rest, recordingEnabled: true } : rest;
  return Object.keys(next).length === 0 ? others : { ...others, calls: next };
}
