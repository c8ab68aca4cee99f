import { Checkbox, PasswordInput, TextInput } from '@mantine/core';
import type { Carrier } from '../../../../sdk/src/index.ts';
import { EyeIcon, EyeOffIcon } from '../../icons.tsx';
import { useTexts } from '../../language/language.tsx';
import type { CarrierFields, CarrierIssues } from './carrier-fields.ts';
import { carrierTexts } from './carrier-texts.ts';

export interface CarrierInputsProps {
  /** Null for a new one. */
  readonly carrier: Carrier | null;
  readonly fields: CarrierFields;
  readonly shown: CarrierIssues;
  readonly onChange: (part: Partial<CarrierFields>) => void;
}

/** An account at Twilio. What is stored of its credentials is never shown. */
export function AccountInputs({ carrier, fields, shown, onChange }: CarrierInputsProps) {
  const texts = useTexts(carrierTexts);
  const hadKey = carrier?.credentials.apiKeySid?.set === true;
  return (
    <>
      <TextInput
        label={texts.accountSid}
        description={texts.accountSidHint}
        placeholder="AC00000000000000000000000000000000"
        value={fields.accountSid}
        error={shown.accountSid}
        maxLength={64}
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        onChange={({ currentTarget: { value } }) => onChange({ accountSid: value.trim() })}
      />
      <Credential
        label={texts.authToken}
        description={carrier === null ? texts.authTokenHint : texts.authTokenKeep}
        value={fields.authToken}
        error={shown.authToken}
        onChange={(authToken) => onChange({ authToken })}
      />
      <Checkbox
        label={texts.useApiKey}
        description={texts.apiKeyHint}
        checked={fields.hasApiKey}
        onChange={({ currentTarget: { checked } }) => onChange({ hasApiKey: checked })}
      />
      {fields.hasApiKey && (
        <>
          <Credential
            label={texts.apiKeySid}
            {...(hadKey && { description: texts.apiKeyKeep })}
            value={fields.apiKeySid}
            error={shown.apiKeySid}
            onChange={(apiKeySid) => onChange({ apiKeySid })}
          />
          <Credential
            label={texts.apiKeySecret}
            value={fields.apiKeySecret}
            error={shown.apiKeySecret}
            onChange={(apiKeySecret) => onChange({ apiKeySecret })}
          />
        </>
      )}
    </>
  );
}

interface CredentialProps {
  readonly label: string;
  readonly description?: string;
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (value: string) => void;
}

function Credential({ label, description, value, error, onChange }: CredentialProps) {
  const texts = useTexts(carrierTexts);
  return (
    <PasswordInput
      label={label}
      description={description}
      value={value}
      error={error}
      maxLength={256}
      // Not a password of this site, which the browser would offer to keep.
      autoComplete="new-password"
      spellCheck={false}
      visibilityToggleIcon={({ reveal }) => (reveal ? <EyeOffIcon /> : <EyeIcon />)}
      visibilityToggleButtonProps={{ 'aria-label': `${texts.show}: ${label}`, tabIndex: 0 }}
      onChange={({ currentTarget }) => onChange(currentTarget.value.trim())}
    />
  );
}
