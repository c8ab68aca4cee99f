import { ActionIcon, Menu } from '@mantine/core';
import { useState } from 'react';
import { SecretIcon } from '../../../icons.tsx';
import { useTexts } from '../../../language/language.tsx';
import { ChoiceInput, NumberInput, TextInput } from '../../../parts/form-inputs.tsx';
import { isRecord, textOf } from '../../../parts/json-value.ts';
import classes from './editor.module.css';
import { useStepOffers } from './editor-context.ts';
import { PairsInput } from './pairs-input.tsx';
import type { StepFieldsProps } from './target-input.tsx';
import { TemplateInput, TemplateJsonInput } from './template-inputs.tsx';
import { editorTexts } from './texts.ts';

const methods = ['POST', 'GET', 'PUT', 'PATCH', 'DELETE'];

export function RequestFields({ step, context }: StepFieldsProps) {
  const texts = useTexts(editorTexts);
  return (
    <>
      <div className={classes.address}>
        <ChoiceInput
          context={context}
          path="method"
          label={texts.method}
          value={textOf(step.method) || 'POST'}
          options={methods.map((method) => ({ value: method, label: method }))}
        />
        <TemplateInput context={context} path="url" label={texts.url} value={step.url} acceptsSecrets />
      </div>
      <PairsInput
        context={context}
        path="headers"
        label={texts.headers}
        value={step.headers}
        nameLabel={texts.header}
        addLabel={texts.addHeader}
        acceptsSecrets
        extra={(value, onChange) => <SecretMenu onChoose={(name) => onChange(`${value}{{secrets.${name}}}`)} />}
      />
      {step.method !== 'GET' && <Content step={step} context={context} />}
      <details className={classes.more} open={hasMore(step) || undefined}>
        <summary>{texts.more}</summary>
        <TextInput
          context={{ ...context, set: (path, value) => context.set(path, statuses(textOf(value))) }}
          path="expect"
          label={texts.expect}
          hint={texts.expectHint}
          value={Array.isArray(step.expect) ? step.expect.join(', ') : ''}
        />
        <div className={classes.columns}>
          <NumberInput
            context={{
              ...context,
              set: (path, value) => context.set(path, typeof value === 'number' ? Math.round(value * 1000) : undefined),
            }}
            path="timeoutMs"
            label={texts.timeout}
            value={typeof step.timeoutMs === 'number' ? step.timeoutMs / 1000 : undefined}
            min={1}
            max={30}
            placeholder="15"
          />
          <NumberInput
            context={context}
            path="maxAttempts"
            label={texts.maxAttempts}
            value={step.maxAttempts}
            min={1}
            max={10}
            placeholder="5"
          />
        </div>
      </details>
    </>
  );
}

function hasMore(step: StepFieldsProps['step']): boolean {
  return ['expect', 'timeoutMs', 'maxAttempts'].some((name) => step[name] !== undefined);
}

/** Kept as numbers as far as they are. */
function statuses(text: string): unknown {
  const items = text.split(/[\s,]+/).filter((item) => item !== '');
  return items.length === 0 ? undefined : items.map((item) => (/^\d+$/.test(item) ? Number(item) : item));
}

type Kind = 'none' | 'fields' | 'json' | 'form';

/** The body: JSON, the fields of a JSON object, or a form. */
function Content({ step, context }: StepFieldsProps) {
  const texts = useTexts(editorTexts);
  const [chosen, setChosen] = useState<'fields' | 'json' | null>(null);
  const isFlat = isRecord(step.body) && Object.values(step.body).every((value) => typeof value !== 'object');
  const bodyKind: Kind = isFlat && chosen !== 'json' ? 'fields' : 'json';
  const kind: Kind = step.form !== undefined ? 'form' : step.body !== undefined ? bodyKind : 'none';
  const choose = (next: unknown) => {
    const content = isRecord(step.body) ? step.body : isRecord(step.form) ? step.form : {};
    setChosen(next === 'fields' || next === 'json' ? next : null);
    context.set('', withContent(step, next as Kind, content));
  };
  const kinds: readonly Kind[] = ['none', 'fields', 'json', 'form'];
  return (
    <div className={classes.content}>
      <ChoiceInput
        context={{ ...context, findings: [], set: (_, next) => choose(next) }}
        path="content"
        label={texts.content}
        value={kind}
        options={kinds
          .filter((each) => each !== 'fields' || kind !== 'json' || isFlat)
          .map((each) => ({ value: each, label: texts[`content_${each}`] }))}
      />
      {kind === 'json' && <TemplateJsonInput context={context} path="body" label={texts.body} value={step.body} />}
      {(kind === 'fields' || kind === 'form') && (
        <PairsInput
          context={{
            ...context,
            // Without any field it is still a body.
            set: (path, value) => context.set(path, value ?? {}),
          }}
          path={kind === 'form' ? 'form' : 'body'}
          label={kind === 'form' ? texts.form : texts.body}
          value={kind === 'form' ? step.form : step.body}
          nameLabel={texts.fieldName}
          addLabel={texts.addField}
        />
      )}
    </div>
  );
}

function withContent(step: StepFieldsProps['step'], kind: Kind, content: object): object {
  const { body: _, form: __, ...rest } = step;
  if (kind === 'none') return rest;
  return kind === 'form' ? { ...rest, form: content } : { ...rest, body: content };
}

/** Inserts the name of a secret: its value is never shown. */
function SecretMenu({ onChoose }: { readonly onChoose: (name: string) => void }) {
  const texts = useTexts(editorTexts);
  const { secrets } = useStepOffers();
  return (
    <Menu position="bottom-end" width={280} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={texts.insertSecret}>
          <SecretIcon size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown className={classes.types as string}>
        {secrets.length === 0 && <Menu.Label>{texts.noSecrets}</Menu.Label>}
        {secrets.map(({ path, value }) => {
          const name = path.slice('secrets.'.length);
          return (
            <Menu.Item key={path} onClick={() => onChoose(name)}>
              <strong>{name}</strong>
              <span className={classes.about}>{String(value)}</span>
            </Menu.Item>
          );
        })}
      </Menu.Dropdown>
    </Menu>
  );
}
