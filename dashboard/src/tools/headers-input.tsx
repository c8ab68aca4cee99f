import { ActionIcon, Anchor, Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { Link } from 'wouter';
import { PlusIcon, TrashIcon } from '../icons.tsx';
import { useTexts } from '../language/language.tsx';
import controls from '../parts/controls.module.css';
import inputs from '../parts/form-inputs.module.css';
import { type FormContext, messagesAt } from '../parts/form-inputs.tsx';
import { isRecord } from '../parts/json-value.ts';
import { useClient, useScope } from '../session/use-session.ts';
import { toolsTexts } from './texts.ts';
import classes from './tools.module.css';

interface HeadersInputProps {
  readonly context: FormContext;
  readonly value: unknown;
  /** The host of the tool’s URL; null if the URL is incomplete. */
  readonly host: string | null;
}

interface Header {
  readonly name: string;
  readonly value: string;
}

/** The headers of a tool as rows. A secret is chosen from a list and inserted by name. */
export function HeadersInput({ context, value, host }: HeadersInputProps) {
  const texts = useTexts(toolsTexts);
  const addButton = useRef<HTMLButtonElement>(null);
  const [typed, setTyped] = useState<readonly Header[] | null>(null);
  const stored = Object.entries(isRecord(value) ? value : {}).map(([name, each]) => ({ name, value: String(each) }));
  // Rows without a name, or with the name of another, are only here.
  const isTyped = typed !== null && JSON.stringify(objectOf(typed)) === JSON.stringify(objectOf(stored));
  const headers = isTyped ? typed : stored;
  const change = (next: readonly Header[]) => {
    setTyped(next);
    context.set('headers', next.some(({ name }) => name !== '') ? objectOf(next) : undefined);
  };
  const own = messagesAt(context, 'headers');
  return (
    <fieldset className={classes.rows} id={`${context.place}.headers`} tabIndex={-1}>
      <legend className={inputs.label}>{texts.headers}</legend>
      <p className={inputs.hint}>{texts.headersHint}</p>
      {headers.map((header, index) => (
        <HeaderRow
          // biome-ignore lint/suspicious/noArrayIndexKey: a row is what is at its position.
          key={index}
          context={context}
          header={header}
          index={index}
          host={host}
          onChange={(changed) => change(headers.with(index, changed))}
          onRemove={() => {
            change(headers.filter((_, other) => other !== index));
            // The button that had the focus is gone.
            addButton.current?.focus();
          }}
        />
      ))}
      {own.map((message) => (
        <p key={message} className={inputs.issue}>
          {message}
        </p>
      ))}
      {!context.isReadOnly && (
        <div>
          <Button
            ref={addButton}
            size="compact-sm"
            variant="default"
            leftSection={<PlusIcon size={14} />}
            onClick={() => change([...headers, { name: headers.length === 0 ? 'Authorization' : '', value: '' }])}
          >
            {texts.addHeader}
          </Button>
        </div>
      )}
    </fieldset>
  );
}

interface HeaderRowProps {
  readonly context: FormContext;
  readonly header: Header;
  readonly index: number;
  readonly host: string | null;
  readonly onChange: (header: Header) => void;
  readonly onRemove: () => void;
}

function HeaderRow({ context, header, index, host, onChange, onRemove }: HeaderRowProps) {
  const texts = useTexts(toolsTexts);
  const number = String(index + 1);
  const { isReadOnly } = context;
  const place = `${context.place}.headers.${header.name === '' ? index : header.name}`;
  return (
    <div className={classes.header}>
      <input
        type="text"
        className={controls.input}
        aria-label={texts.header(number, texts.name)}
        placeholder={texts.name}
        value={header.name}
        readOnly={isReadOnly}
        autoComplete="off"
        spellCheck={false}
        onChange={({ currentTarget }) => onChange({ ...header, name: currentTarget.value })}
      />
      <input
        type="text"
        id={place}
        className={controls.input}
        aria-label={texts.header(number, texts.value)}
        placeholder={texts.value}
        value={header.value}
        readOnly={isReadOnly}
        autoComplete="off"
        spellCheck={false}
        onChange={({ currentTarget }) => onChange({ ...header, value: currentTarget.value })}
      />
      {!isReadOnly && (
        <SecretChoice
          label={`${texts.insertSecret} (${texts.header(number, texts.value)})`}
          onChoose={(name) => onChange({ ...header, value: withSecret(header, name) })}
        />
      )}
      {!isReadOnly && (
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={texts.removeHeader(header.name === '' ? number : header.name)}
          onClick={onRemove}
        >
          <TrashIcon size={16} />
        </ActionIcon>
      )}
      <WrongHosts value={header.value} host={host} />
    </div>
  );
}

/** A key is usually the whole value. In `Authorization`, it follows a scheme. */
function withSecret({ name, value }: Header, secret: string): string {
  const reference = `{{secrets.${secret}}}`;
  if (value.trim() === '') return name.toLowerCase() === 'authorization' ? `Bearer ${reference}` : reference;
  return value.includes('{{secrets.')
    ? value.replace(/\{\{secrets\.[^}]*\}\}/, reference)
    : `${value.trimEnd()} ${reference}`;
}

function useSecrets() {
  const { secrets } = useClient();
  const { isAllowed, reason } = useScope('secrets:read');
  const { data } = useQuery({
    queryKey: ['secrets'],
    queryFn: async ({ signal }) => (await secrets.list({ signal })).items,
    enabled: isAllowed,
  });
  return { secrets: data ?? [], isLoaded: data !== undefined, reason: isAllowed ? null : reason };
}

function SecretChoice({ label, onChoose }: { readonly label: string; readonly onChoose: (name: string) => void }) {
  const texts = useTexts(toolsTexts);
  const { secrets, isLoaded, reason } = useSecrets();
  if (isLoaded && secrets.length === 0) {
    return (
      <Anchor component={Link} href="/secrets" size="xs" underline="always" className={classes.noSecrets as string}>
        {texts.noSecrets}
      </Anchor>
    );
  }
  return (
    <select
      className={controls.input}
      aria-label={label}
      title={reason ?? undefined}
      value=""
      disabled={reason !== null}
      onChange={({ currentTarget }) => onChoose(currentTarget.value)}
    >
      <option value="">{texts.insertSecret}</option>
      {secrets.map(({ name }) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  );
}

/** Secrets that would not be sent, before anybody publishes the agent. */
function WrongHosts({ value, host }: { readonly value: string; readonly host: string | null }) {
  const texts = useTexts(toolsTexts);
  const { secrets } = useSecrets();
  if (host === null) return null;
  const named = secrets.filter(({ name, hosts }) => value.includes(`{{secrets.${name}}}`) && !hosts.includes(host));
  return named.map(({ name }) => (
    <p key={name} className={`${inputs.issue} ${classes.wide}`}>
      {texts.wrongHost(name, host)}{' '}
      <Anchor component={Link} href="/secrets" size="xs" underline="always">
        {texts.secretsPage}
      </Anchor>
    </p>
  ));
}

function objectOf(headers: readonly Header[]): Record<string, string> {
  return Object.fromEntries(headers.filter(({ name }) => name !== '').map(({ name, value }) => [name, value]));
}
