import { NativeSelect, TextInput } from '@mantine/core';
import { useTexts } from '../language/language.tsx';
import { directionTexts } from '../phone/texts.ts';
import { AgentFilter } from './agent-filter.tsx';
import { callTypes, directions } from './call.ts';
import { callFilterTexts } from './call-filter-texts.ts';
import { typeTexts } from './call-texts.ts';

interface AgentFieldsProps {
  readonly agentId: string;
  readonly agentVersion: string;
  readonly onChange: (change: { readonly agentId?: string; readonly agentVersion: string }) => void;
}

/** The agent of a call, and its version. */
export function AgentFields({ agentId, agentVersion, onChange }: AgentFieldsProps) {
  const texts = useTexts(callFilterTexts);
  return (
    <>
      <AgentFilter agentId={agentId} onChange={(chosen) => onChange({ agentId: chosen, agentVersion: '' })} />
      <TextInput
        size="xs"
        label={texts.version}
        placeholder={texts.anyVersion}
        inputMode="numeric"
        maxLength={9}
        value={agentVersion}
        onChange={(event) => onChange({ agentVersion: event.currentTarget.value.replaceAll(/\D/g, '') })}
      />
    </>
  );
}

type CallType = (typeof callTypes)[number];

interface TypeFieldProps {
  readonly type: CallType | '';
  readonly onChange: (type: CallType | '') => void;
}

export function TypeField({ type, onChange }: TypeFieldProps) {
  const texts = useTexts(callFilterTexts);
  const types = useTexts(typeTexts);
  return (
    <NativeSelect
      size="xs"
      label={texts.type}
      data={[{ value: '', label: texts.any }, ...callTypes.map((value) => ({ value, label: types[value] }))]}
      value={type}
      onChange={(event) => onChange(event.currentTarget.value as CallType | '')}
    />
  );
}

type Direction = (typeof directions)[number];

interface DirectionFieldProps {
  readonly direction: Direction | '';
  readonly onChange: (direction: Direction | '') => void;
}

export function DirectionField({ direction, onChange }: DirectionFieldProps) {
  const texts = useTexts(callFilterTexts);
  const words = useTexts(directionTexts);
  return (
    <NativeSelect
      size="xs"
      label={texts.direction}
      data={[{ value: '', label: texts.any }, ...directions.map((value) => ({ value, label: words[value] }))]}
      value={direction}
      onChange={(event) => onChange(event.currentTarget.value as Direction | '')}
    />
  );
}
