import { Alert, Radio, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Carrier, NumberAtCarrier } from '../../../../../sdk/src/index.ts';
import { useLanguage, useTexts } from '../../../language/language.tsx';
import { RowSkeletons } from '../../../parts/row-skeletons.tsx';
import { countryName, formatNumber, readNumber } from '../../../phone/number-format.ts';
import { phoneTexts } from '../../../phone/texts.ts';
import { usePhoneNumbers } from '../../../phone/use-phone.ts';
import { useClient } from '../../../session/use-session.ts';
import classes from '../numbers.module.css';
import { importTexts } from '../texts.ts';
import { StepButtons, StepForm } from './step-buttons.tsx';

export interface ChosenNumber {
  /** In E.164 format. */
  readonly number: string;
  readonly name: string;
}

interface NumberStepProps {
  readonly carrier: Carrier;
  /** What was chosen before. */
  readonly chosen: ChosenNumber | null;
  /** What the service found wrong with it. */
  readonly issue: string | undefined;
  readonly onBack: () => void;
  readonly onDone: (chosen: ChosenNumber) => void;
}

export function NumberStep(props: NumberStepProps) {
  const isTest = props.carrier.provider === 'test';
  const { numbers, isPending, hasFailed } = useNumbersAtCarrier(props.carrier, !isTest);
  const { data: imported } = usePhoneNumbers();
  if (isPending || imported === undefined) return <RowSkeletons />;
  const first = isTest ? freeTestNumber(imported.map(({ number }) => number)) : '';
  return <Choice {...props} numbers={numbers} hasFailed={hasFailed} first={first} />;
}

interface ChoiceProps extends NumberStepProps {
  readonly numbers: readonly NumberAtCarrier[];
  readonly hasFailed: boolean;
  /** To begin with. */
  readonly first: string;
}

const other = 'other';

function Choice({ carrier, chosen, issue, numbers, hasFailed, first, onBack, onDone }: ChoiceProps) {
  const texts = useTexts(importTexts);
  const isTest = carrier.provider === 'test';
  const isListed = (number: string) => numbers.some((listed) => listed.number === number);
  const before = chosen?.number ?? '';
  const free = numbers.find(({ voice, importedAs }) => voice && importedAs === null)?.number ?? other;
  const [picked, setPicked] = useState(before === '' ? free : isListed(before) ? before : other);
  const [typed, setTyped] = useState(before === '' || isListed(before) ? first : before);
  const [name, setName] = useState(chosen?.name ?? '');
  const [hasTried, setHasTried] = useState(false);
  const number = picked === other ? (readNumber(typed)?.number ?? null) : picked;
  const isValid = number !== null && (!isTest || /^\+9991\d{7}$/.test(number));
  const submit = () => {
    setHasTried(true);
    if (isValid) onDone({ number, name });
  };
  return (
    <StepForm onSubmit={submit}>
      {hasFailed && <Alert color="orange">{texts.pickFailed}</Alert>}
      {!isTest && !hasFailed && numbers.length === 0 && <Alert color="gray">{texts.pickNone}</Alert>}
      {numbers.length > 0 && (
        <NumberList numbers={numbers} picked={picked} issue={picked === other ? undefined : issue} onPick={setPicked} />
      )}
      {picked === other && (
        <TypedNumber typed={typed} isTest={isTest} isWrong={hasTried && !isValid} issue={issue} onType={setTyped} />
      )}
      <TextInput
        label={texts.name}
        description={texts.nameHint}
        placeholder={texts.namePlaceholder}
        value={name}
        maxLength={255}
        onChange={({ currentTarget: { value } }) => setName(value)}
      />
      <StepButtons next={texts.next} onBack={onBack} />
    </StepForm>
  );
}

interface NumberListProps {
  readonly numbers: readonly NumberAtCarrier[];
  readonly picked: string;
  readonly issue: string | undefined;
  readonly onPick: (number: string) => void;
}

function NumberList({ numbers, picked, issue, onPick }: NumberListProps) {
  const texts = useTexts(importTexts);
  return (
    <Radio.Group label={texts.pick} value={picked} onChange={onPick} error={issue}>
      <div className={`${classes.choices} ${classes.pick}`}>
        {numbers.map(({ number, name, voice, importedAs }) => {
          const notes = [
            name === number ? null : name,
            voice ? null : texts.noVoice,
            importedAs === null ? null : texts.imported,
          ].filter((note) => note !== null && note !== '');
          return (
            <Radio
              key={number}
              value={number}
              label={formatNumber(number)}
              description={notes.join(' · ')}
              disabled={!voice || importedAs !== null}
            />
          );
        })}
        <Radio value={other} label={texts.pickOther} />
      </div>
    </Radio.Group>
  );
}

interface TypedNumberProps {
  readonly typed: string;
  readonly isTest: boolean;
  readonly isWrong: boolean;
  readonly issue: string | undefined;
  readonly onType: (typed: string) => void;
}

function TypedNumber({ typed, isTest, isWrong, issue, onType }: TypedNumberProps) {
  const { language } = useLanguage();
  const texts = useTexts(importTexts);
  const shared = useTexts(phoneTexts);
  const read = readNumber(typed);
  const wrong = isTest ? texts.testNumberWrong : shared.numberMissing;
  return (
    <div>
      <TextInput
        label={shared.number}
        {...(isTest ? { description: texts.testNumberHint } : { placeholder: shared.numberPlaceholder })}
        type="tel"
        value={typed}
        error={isWrong ? wrong : issue}
        maxLength={40}
        onChange={({ currentTarget: { value } }) => onType(value)}
      />
      {read !== null && !isTest && (
        <Text size="xs" c="dimmed" mt={4}>
          {formatNumber(read.number)} · {countryName(read.country, language) ?? shared.testNumber}
        </Text>
      )}
    </div>
  );
}

function useNumbersAtCarrier(carrier: Carrier, isEnabled: boolean) {
  const { carriers } = useClient();
  const { data, error } = useQuery({
    queryKey: ['phone', 'carrier-numbers', carrier.id],
    queryFn: async ({ signal }) => (await carriers.numbers.list(carrier.id, { signal })).items,
    enabled: isEnabled,
    retry: false,
    gcTime: 0,
  });
  return {
    numbers: data ?? [],
    isPending: isEnabled && data === undefined && error === null,
    hasFailed: error !== null,
  };
}

/** The first number of the test carrier that is not imported yet. */
function freeTestNumber(imported: readonly string[]): string {
  for (let count = 1; ; count += 1) {
    const number = `+9991${String(count).padStart(7, '0')}`;
    if (!imported.includes(number)) return number;
  }
}
