import { Select } from '@mantine/core';
import { useTexts } from '../../language/language.tsx';
import { usePhoneNumbers } from '../../phone/use-phone.ts';
import { callsTexts } from './texts.ts';

interface NumberFilterProps {
  readonly phoneNumberId: string;
  readonly onChange: (phoneNumberId: string) => void;
}

/** One phone number of the workspace, or any. */
export function NumberFilter({ phoneNumberId, onChange }: NumberFilterProps) {
  const texts = useTexts(callsTexts);
  const { data = [] } = usePhoneNumbers();
  const numbers = data.map(({ id, number, name }) => ({
    value: id,
    label: name === number ? number : `${name} (${number})`,
  }));
  // It may have been deleted, or not be loaded yet.
  const isListed = phoneNumberId === '' || numbers.some(({ value }) => value === phoneNumberId);
  return (
    <Select
      size="xs"
      label={texts.number}
      placeholder={texts.anyNumber}
      data={isListed ? numbers : [{ value: phoneNumberId, label: phoneNumberId }, ...numbers]}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': texts.anyNumber }}
      nothingFoundMessage={texts.noNumbers}
      value={phoneNumberId === '' ? null : phoneNumberId}
      onChange={(value) => onChange(value ?? '')}
    />
  );
}
