import { NativeSelect, Textarea } from '@mantine/core';
import { useState } from 'react';
import type { WorkflowTest } from '../../../../../sdk/src/index.ts';
import { useLanguage, useTexts } from '../../../language/language.tsx';
import { Dot } from '../../../parts/dot.tsx';
import { Facts } from '../../../parts/facts.tsx';
import { JsonBlock } from '../../../parts/json-block.tsx';
import { isRecord } from '../../../parts/json-value.ts';
import row from '../../../parts/row.module.css';
import timeline from '../../../parts/timeline.module.css';
import { end, type Step } from '../../../workflows/definition.ts';
import { RequestView } from '../../../workflows/request-view.tsx';
import { useWorkflowTexts } from '../../../workflows/texts.ts';
import { stepText, typeText, wayText } from '../../../workflows/words.ts';
import classes from './test.module.css';
import { testTexts } from './texts.ts';
import type { Mock, Mocks } from './use-test.ts';

type TestedStep = WorkflowTest['steps'][number];

interface TestedStepsProps {
  readonly steps: readonly Step[];
  readonly tested: readonly TestedStep[];
  readonly mocks: Mocks;
  readonly onMocks: (mocks: Mocks) => void;
}

/** Each step: whether the run comes to it, and what it would do. */
export function TestedSteps({ steps, tested, mocks, onMocks }: TestedStepsProps) {
  return (
    <ol className={timeline.timeline}>
      {tested.map((result) => {
        const step = steps.find(({ id }) => id === result.id);
        if (step === undefined) return null;
        return (
          <TestedStepItem
            key={result.id}
            step={step}
            result={result}
            mock={mocks[result.id] ?? null}
            onMock={(mock) => {
              const { [result.id]: _, ...rest } = mocks;
              onMocks(mock === null ? rest : { ...rest, [result.id]: mock });
            }}
          />
        );
      })}
    </ol>
  );
}

interface ItemProps {
  readonly step: Step;
  readonly result: TestedStep;
  readonly mock: Mock | null;
  readonly onMock: (mock: Mock | null) => void;
}

function TestedStepItem({ step, result, mock, onMock }: ItemProps) {
  const texts = useTexts(testTexts);
  const words = useWorkflowTexts();
  const { reached, rendered, problems } = result;
  const tone = !reached ? 'quiet' : problems.length > 0 ? 'bad' : 'good';
  return (
    <li data-tone={tone}>
      <div className={timeline.head}>
        <strong>{typeText(step.type, words)}</strong> <code>{step.id}</code>
        <Dot tone={tone}>{!reached ? texts.notReached : problems.length > 0 ? texts.wouldFail : texts.reached}</Dot>
      </div>
      {!reached && <p className={row.quiet}>{stepText(step, words)}</p>}
      {problems.map(({ code, message }) => (
        <p key={`${code} ${message}`} className={classes.problem}>
          <code>{code}</code> {message}
        </p>
      ))}
      {rendered !== null && <Rendered step={step} rendered={rendered} />}
      {reached && step.type === 'http_request' && <MockInput mock={mock} onMock={onMock} />}
    </li>
  );
}

function Rendered({ step, rendered }: { readonly step: Step; readonly rendered: Readonly<Record<string, unknown>> }) {
  const { format } = useLanguage();
  const texts = useTexts(testTexts);
  const words = useWorkflowTexts();
  const { method, url, headers, body } = rendered;
  if (step.type === 'http_request' && typeof method === 'string' && typeof url === 'string') {
    const request = {
      method,
      url,
      headers: (isRecord(headers) ? headers : {}) as Record<string, string>,
      body: typeof body === 'string' ? body : body == null ? null : JSON.stringify(body),
    };
    return <RequestView request={request} />;
  }
  if (step.type === 'wait' && typeof rendered.resumeAt === 'string') {
    return <p className={classes.text}>{texts.waitsUntil(format.dateTime(rendered.resumeAt))}</p>;
  }
  if (step.type === 'condition') {
    const { matched, next } = rendered;
    const path = typeof matched === 'number' ? `routes.${matched}.next` : 'otherwise';
    const target = next === end ? words.toEnd : String(next ?? '');
    return <p className={classes.text}>{words.leadsTo(wayText(step, path, words), target)}</p>;
  }
  const values = Object.entries(rendered);
  if (values.every(([, value]) => typeof value !== 'object')) {
    return <Facts facts={values.map(([name, value]) => [name, String(value)])} />;
  }
  return <JsonBlock value={rendered} label={texts.wouldDo} />;
}

const assumedStatus = '';
const statuses = ['200', '404', '429', '500'];

/** What the receiver answers in the test. */
function MockInput({ mock, onMock }: Pick<ItemProps, 'mock' | 'onMock'>) {
  const { texts: shared } = useLanguage();
  const texts = useTexts(testTexts);
  const [typed, setTyped] = useState('');
  const parsed = parse(typed);
  return (
    <div className={classes.mock}>
      <NativeSelect
        size="xs"
        label={texts.response}
        value={mock === null ? assumedStatus : String(mock.statusCode)}
        data={[{ value: assumedStatus, label: texts.assumed }, ...statuses]}
        onChange={({ currentTarget: { value } }) =>
          onMock(
            value === assumedStatus
              ? null
              : { statusCode: Number(value), ...(parsed !== undefined && { body: parsed }) },
          )
        }
      />
      {mock !== null && (
        <Textarea
          size="xs"
          label={texts.responseBody}
          placeholder='{"id": "lead-81"}'
          autosize
          minRows={1}
          maxRows={8}
          value={typed}
          error={typed.trim() !== '' && parsed === undefined ? shared.invalidJson : undefined}
          onChange={({ currentTarget: { value } }) => {
            setTyped(value);
            const body = parse(value);
            const { statusCode } = mock;
            if (value.trim() === '') onMock({ statusCode });
            else if (body !== undefined) onMock({ statusCode, body });
          }}
        />
      )}
    </div>
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
