import { MultiSelect } from '@mantine/core';
import { useMemo } from 'react';
import { useLanguage, useTexts } from '../language/language.tsx';
import { countryChoices } from './number-format.ts';
import { phoneTexts } from './texts.ts';

interface CountryInputProps {
  readonly label: string;
  readonly description?: string;
  /** What an empty list means. */
  readonly placeholder: string;
  readonly countries: readonly string[];
  readonly error?: string | undefined;
  readonly onChange: (countries: string[]) => void;
}

/** Countries by name. */
export function CountryInput({ label, description, placeholder, countries, error, onChange }: CountryInputProps) {
  const { language } = useLanguage();
  const texts = useTexts(phoneTexts);
  const choices = useMemo(() => countryChoices(language), [language]);
  return (
    <MultiSelect
      label={label}
      description={description}
      placeholder={countries.length === 0 ? placeholder : undefined}
      data={choices}
      searchable
      hidePickedOptions
      nothingFoundMessage={texts.noCountries}
      value={[...countries]}
      error={error}
      onChange={onChange}
    />
  );
}
