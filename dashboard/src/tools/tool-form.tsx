import { Button } from '@mantine/core';
import { useRef, useState } from 'react';
import { TrashIcon } from '../icons.tsx';
import { useLanguage, useTexts } from '../language/language.tsx';
import controls from '../parts/controls.module.css';
import inputs from '../parts/form-inputs.module.css';
import {
  attributes,
  ChoiceInput,
  type FormContext,
  Labelled,
  LinesInput,
  NumberInput,
  TextInput,
} from '../parts/form-inputs.tsx';
import { textOf } from '../parts/json-value.ts';
import { HeadersInput } from './headers-input.tsx';
import { parametersIn } from './parameters.ts';
import { ParametersInput } from './parameters-input.tsx';
import { toolsTexts } from './texts.ts';
import { ToolTest } from './tool-test.tsx';
import classes from './tools.module.css';
import { defaultTimeoutMs, runningIn, sayOf, sentencesOf, type Tool, toolMethods, withField } from './tools.ts';

interface ToolFormProps {
  readonly agentId: string;
  readonly tool: Tool;
  /** Whether the saved version has the tool as it is shown. */
  readonly isSaved: boolean;
  readonly context: Omit<FormContext, 'set'>;
  readonly onChange: (tool: Tool) => void;
  readonly onRemove: () => void;
}

/** One tool as a form. Its inputs have the paths of the agent as ids. */
export function ToolForm({ agentId, tool, isSaved, context: given, onChange, onRemove }: ToolFormProps) {
  const texts = useTexts(toolsTexts);
  const server = useRef(tool);
  const context: FormContext = { ...given, set: (path, value) => onChange(withField(tool, path, value)) };
  const isClient = tool.where === 'client';
  return (
    <div className={classes.form}>
      <div className={classes.columns}>
        <TextInput context={context} path="name" label={texts.name} hint={texts.nameHint} value={tool.name} />
        <ChoiceInput
          context={{
            ...context,
            set: (_, where) => {
              if (!isClient) server.current = tool;
              onChange(runningIn(tool, where === 'client' ? 'client' : 'server', server.current));
            },
          }}
          path="where"
          label={texts.where}
          {...(isClient && { hint: texts.clientHint })}
          value={isClient ? 'client' : 'server'}
          options={[
            { value: 'server', label: texts.server },
            { value: 'client', label: texts.client },
          ]}
        />
      </div>
      <TextInput
        context={context}
        path="description"
        label={texts.description}
        hint={texts.descriptionHint}
        value={tool.description}
        rows={2}
      />
      {!isClient && <Address tool={tool} context={context} />}
      <ParametersInput context={context} value={tool.parameters} />
      {!isClient && <HeadersInput context={context} value={tool.headers} host={hostOf(tool)} />}
      <div className={classes.columns}>
        <LinesInput
          context={{ ...context, set: (path, value) => context.set(path, sayOf(value)) }}
          path="say"
          label={texts.say}
          hint={texts.sayHint}
          value={sentencesOf(tool)}
        />
        <NumberInput
          context={{
            ...context,
            set: (path, value) => context.set(path, typeof value === 'number' ? Math.round(value * 1000) : undefined),
          }}
          path="timeoutMs"
          label={texts.timeout}
          value={typeof tool.timeoutMs === 'number' ? tool.timeoutMs / 1000 : undefined}
          min={0.5}
          max={30}
          step={0.5}
          placeholder={String(defaultTimeoutMs / 1000)}
        />
      </div>
      <ExampleInput context={context} value={tool.example} />
      <ToolTest
        agentId={agentId}
        tool={tool}
        isSaved={isSaved}
        place={`${context.place}.test`}
        onKeep={context.isReadOnly ? null : (result) => context.set('example', result)}
      />
      {!context.isReadOnly && (
        <div className={classes.remove}>
          <Button
            size="compact-sm"
            variant="subtle"
            color="red"
            leftSection={<TrashIcon size={14} />}
            onClick={onRemove}
          >
            {texts.remove}
          </Button>
        </div>
      )}
    </div>
  );
}

function Address({ tool, context }: { readonly tool: Tool; readonly context: FormContext }) {
  const texts = useTexts(toolsTexts);
  const method = textOf(tool.method) || 'POST';
  const isBodyless = method === 'GET' || method === 'DELETE';
  const hasFinding = context.findings.some(({ path }) => path === 'url');
  const missing = hasFinding ? [] : missingParameters(tool);
  const findings = [
    ...context.findings,
    ...missing.map((name) => ({ path: 'url', message: texts.noSuchParameter(name) })),
  ];
  return (
    <div className={classes.address}>
      <ChoiceInput
        context={context}
        path="method"
        label={texts.method}
        value={method}
        options={toolMethods.map((value) => ({ value, label: value }))}
      />
      <TextInput
        context={{ ...context, findings }}
        path="url"
        label={texts.url}
        hint={`${texts.urlHint} ${isBodyless ? texts.queryHint : texts.bodyHint}`}
        value={tool.url}
      />
    </div>
  );
}

/** What the URL has in braces, and the table of parameters does not have. */
function missingParameters({ url, parameters }: Tool): readonly string[] {
  const known = parametersIn(parameters);
  if (known === null) return [];
  const wanted = [...textOf(url).matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => name);
  return [...new Set(wanted)].filter((name) => !known.some((parameter) => parameter.name === name));
}

/** Null if the URL is missing or malformed. */
function hostOf({ url }: Tool): string | null {
  const host = URL.parse(textOf(url).replaceAll(/\{[^{}]*\}/g, 'x'))?.hostname;
  return host === undefined || host === '' ? null : host;
}

/** Kept as typed until it can be read. Nothing is no example, and null is one. */
function ExampleInput({ context, value }: { readonly context: FormContext; readonly value: unknown }) {
  const { texts: shared } = useLanguage();
  const texts = useTexts(toolsTexts);
  const [typed, setTyped] = useState<string | null>(null);
  const isBroken = typed !== null && typed.trim() !== '' && !isJson(typed);
  const stored = value === undefined ? '' : JSON.stringify(value, null, 2);
  const isTyped = typed !== null && (isBroken || isSameJson(typed, stored));
  return (
    <Labelled context={context} path="example" label={texts.example} hint={texts.exampleHint}>
      <textarea
        {...attributes(context, 'example')}
        {...(isBroken && { 'aria-invalid': true })}
        className={`${controls.input} ${controls.json}`}
        rows={2}
        spellCheck={false}
        value={isTyped ? typed : stored}
        readOnly={context.isReadOnly}
        onChange={({ currentTarget: { value: text } }) => {
          setTyped(text);
          if (text.trim() === '') context.set('example', undefined);
          else if (isJson(text)) context.set('example', JSON.parse(text));
        }}
      />
      {isBroken && <p className={inputs.issue}>{shared.invalidJson}</p>}
    </Labelled>
  );
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function isSameJson(one: string, other: string): boolean {
  if (one.trim() === '' || other === '') return one.trim() === other;
  return isJson(one) && JSON.stringify(JSON.parse(one)) === JSON.stringify(JSON.parse(other));
}
