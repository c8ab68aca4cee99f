import { Alert, Button, Loader, Text } from '@mantine/core';
import { useState } from 'react';
import { type AgentToolTest, UnprocessableError } from '../../../sdk/src/index.ts';
import { CheckIcon, PlayIcon, WarningIcon } from '../icons.tsx';
import { useLanguage, useTexts } from '../language/language.tsx';
import { useAgentTexts } from '../pages/agent/texts.ts';
import controls from '../parts/controls.module.css';
import { Failure } from '../parts/dialog.tsx';
import inputs from '../parts/form-inputs.module.css';
import { textOf } from '../parts/json-value.ts';
import { GuardedButton } from '../parts/scope-guard.tsx';
import { Scrollable } from '../parts/scrollable.tsx';
import { useSingleMutation } from '../parts/single-mutation.ts';
import { useClient } from '../session/use-session.ts';
import { RequestView } from '../workflows/request-view.tsx';
import { argumentOf, exampleText, kindOf, type Parameter, parametersIn } from './parameters.ts';
import { outcomeTexts, toolsTexts } from './texts.ts';
import classes from './tools.module.css';
import type { Tool } from './tools.ts';

interface ToolTestProps {
  readonly agentId: string;
  readonly tool: Tool;
  /** Whether the saved version has the tool as it is shown. */
  readonly isSaved: boolean;
  /** The prefix of ids. */
  readonly place: string;
  /** Keeps the result as the example of the tool. Null: nothing may be changed. */
  readonly onKeep: ((result: unknown) => void) | null;
}

/** Calls the tool, and shows what was sent, what came back and what a model would see. */
export function ToolTest({ agentId, tool, isSaved, place, onKeep }: ToolTestProps) {
  const texts = useTexts(toolsTexts);
  const { agents } = useClient();
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const [result, setResult] = useState<AgentToolTest | null>(null);
  const rows = parametersIn(tool.parameters);
  const [today] = useState(() => new Date().toISOString().slice(0, 10));
  const textFor = (row: Parameter) => typed[row.name] ?? exampleText(row, today);
  const testing = useSingleMutation({
    mutationFn: async () => {
      const given = (rows ?? []).map((row) => [row.name, argumentOf(row, textFor(row))] as const);
      const all = rows === null ? parsed(typed[''] ?? '{}') : Object.fromEntries(given);
      return await agents.tools.test(agentId, textOf(tool.name), { arguments: all });
    },
    onSuccess: setResult,
    onError: () => setResult(null),
  });
  const reason = tool.where === 'client' ? texts.testInPage : isSaved ? null : texts.testUnsaved;
  return (
    <section className={classes.test} aria-labelledby={`${place}-title`}>
      <h3 className={classes.testTitle} id={`${place}-title`}>
        {texts.testTitle}
      </h3>
      <p className={inputs.hint}>{reason ?? texts.testHint}</p>
      {reason === null && (
        <>
          <Arguments rows={rows} place={place} textFor={textFor} typed={typed} onChange={setTyped} />
          <div>
            <GuardedButton
              scope="agents:write"
              size="compact-md"
              leftSection={<PlayIcon size={14} />}
              onClick={() => !testing.isPending && testing.mutate()}
            >
              {texts.test}
            </GuardedButton>
          </div>
        </>
      )}
      <div role="status" aria-label={texts.testTitle}>
        {testing.isPending && (
          <Text size="sm" c="dimmed" component="div">
            <Loader size="xs" me="xs" />
            {texts.testing}
          </Text>
        )}
        {!testing.isPending && testing.error !== null && <Refusal error={testing.error} />}
        {!testing.isPending && result !== null && <Result key={result.toolCallId} test={result} onKeep={onKeep} />}
      </div>
    </section>
  );
}

function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

interface ArgumentsProps {
  /** Null: the schema has no table, so that the arguments are JSON. */
  readonly rows: readonly Parameter[] | null;
  readonly place: string;
  readonly textFor: (row: Parameter) => string;
  readonly typed: Readonly<Record<string, string>>;
  readonly onChange: (typed: Readonly<Record<string, string>>) => void;
}

function Arguments({ rows, place, textFor, typed, onChange }: ArgumentsProps) {
  const texts = useTexts(toolsTexts);
  if (rows === null) {
    return (
      <div>
        <label className={inputs.label} htmlFor={`${place}.arguments`}>
          {texts.arguments}
        </label>
        <textarea
          id={`${place}.arguments`}
          className={`${controls.input} ${controls.json}`}
          rows={2}
          spellCheck={false}
          value={typed[''] ?? '{}'}
          onChange={({ currentTarget }) => onChange({ ...typed, '': currentTarget.value })}
        />
      </div>
    );
  }
  if (rows.length === 0) return <p className={inputs.hint}>{texts.noArguments}</p>;
  return (
    <div className={classes.arguments}>
      {rows.map((row) => (
        <div key={row.name} className={inputs.input}>
          <label className={inputs.label} htmlFor={`${place}.arguments.${row.name}`}>
            {row.name}
            {row.isRequired && <span className={classes.required}>{texts.required}</span>}
          </label>
          <ArgumentInput
            id={`${place}.arguments.${row.name}`}
            row={row}
            text={textFor(row)}
            onChange={(text) => onChange({ ...typed, [row.name]: text })}
          />
        </div>
      ))}
    </div>
  );
}

interface ArgumentInputProps {
  readonly id: string;
  readonly row: Parameter;
  readonly text: string;
  readonly onChange: (text: string) => void;
}

function ArgumentInput({ id, row: { schema }, text, onChange }: ArgumentInputProps) {
  const texts = useTexts(toolsTexts);
  const kind = kindOf(schema);
  const choices = Array.isArray(schema.enum)
    ? schema.enum.map((value) => ({ value: String(value), label: String(value) }))
    : [];
  const options =
    kind === 'boolean'
      ? [
          { value: 'true', label: texts.yes },
          { value: 'false', label: texts.no },
        ]
      : choices;
  if (options.length === 0) {
    return (
      <input
        id={id}
        type={kind === 'date' ? 'date' : 'text'}
        inputMode={kind === 'number' || kind === 'integer' ? 'decimal' : undefined}
        className={controls.input}
        value={text}
        autoComplete="off"
        spellCheck={false}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
    );
  }
  return (
    <select
      id={id}
      className={controls.input}
      value={text}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    >
      <option value="">{texts.leftOut}</option>
      {options.map(({ value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  );
}

/** What prevents a test, such as arguments that do not match. */
function Refusal({ error }: { readonly error: Error }) {
  const texts = useTexts(toolsTexts);
  const { saidByService } = useAgentTexts();
  if (!(error instanceof UnprocessableError)) return <Failure error={error} />;
  const said = [...Object.values(error.fieldErrors).flat(), ...error.formErrors].map((message) => {
    const [, at = '', text = message] = /^([^\s:]+): (.*)$/s.exec(message) ?? [];
    return { at: at.replace(/^tools\.\d+\./, ''), text: saidByService(text) };
  });
  return (
    <Alert color="orange" variant="light" icon={<WarningIcon />} title={texts.refused}>
      <ul className={classes.refusals}>
        {said.map(({ at, text }) => (
          <li key={`${at} ${text}`}>
            {at !== '' && <code>{at}</code>} {text}
          </li>
        ))}
      </ul>
    </Alert>
  );
}

interface ResultProps {
  readonly test: AgentToolTest;
  readonly onKeep: ToolTestProps['onKeep'];
}

function Result({ test, onKeep }: ResultProps) {
  const texts = useTexts(toolsTexts);
  const outcomes = useTexts(outcomeTexts);
  const { format } = useLanguage();
  const [isKept, setIsKept] = useState(false);
  const { outcome, request, response, durationMs, isError, modelText } = test;
  return (
    <div className={classes.result}>
      <p className={classes.outcome} data-is-error={isError || undefined}>
        {isError ? <WarningIcon size={16} /> : <CheckIcon size={16} />}
        {texts.outcomeIn(outcomes[outcome], format.milliseconds(durationMs))}
      </p>
      <h4 className={classes.part}>{texts.modelSees}</h4>
      <Shown text={modelText} label={texts.modelSees} />
      {!isError && onKeep !== null && (
        <div>
          <Button
            size="compact-xs"
            variant="default"
            disabled={isKept}
            onClick={() => {
              setIsKept(true);
              onKeep(valueIn(modelText));
            }}
          >
            {texts.keepExample}
          </Button>
          {isKept && <span className={classes.kept}>{texts.kept}</span>}
        </div>
      )}
      <h4 className={classes.part}>{texts.request}</h4>
      {request === null ? <p className={inputs.hint}>{texts.notSent}</p> : <RequestView request={request} />}
      <h4 className={classes.part}>{texts.response}</h4>
      {response === null ? (
        <p className={inputs.hint}>{texts.noResponse}</p>
      ) : (
        <>
          <p className={classes.status}>
            {texts.status(String(response.statusCode))}
            {response.contentType !== null && ` · ${response.contentType}`}
          </p>
          <Shown text={response.body ?? texts.emptyBody} label={texts.response} />
          {response.isTruncated && <p className={inputs.hint}>{texts.truncated}</p>}
        </>
      )}
    </div>
  );
}

function Shown({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <Scrollable className={classes.shown} label={label}>
      <pre>{readable(text)}</pre>
    </Scrollable>
  );
}

/** JSON with line breaks; anything else as it is. */
function readable(text: string): string {
  const value = valueIn(text);
  return typeof value === 'object' && value !== null ? JSON.stringify(value, null, 2) : text;
}

function valueIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
