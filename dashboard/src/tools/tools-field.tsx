import { Alert, Button, Title, UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import type { AgentCheck } from '../../../sdk/src/index.ts';
import { ChevronRightIcon, PlusIcon } from '../icons.tsx';
import { useTexts } from '../language/language.tsx';
import { type FieldName, placeOf } from '../pages/agent/fields.ts';
import { focusAt } from '../pages/agent/focus-at.ts';
import forms from '../pages/agent/form.module.css';
import { useAgentTexts } from '../pages/agent/texts.ts';
import { isObject, isSame, type Values } from '../pages/agent/values.ts';
import type { FormContext } from '../parts/form-inputs.tsx';
import { textOf } from '../parts/json-value.ts';
import { toolsTexts } from './texts.ts';
import { ToolForm } from './tool-form.tsx';
import classes from './tools.module.css';
import { maxTools, newTool, type Tool, toolsIn, withField, withTools } from './tools.ts';

interface ToolsFieldProps {
  readonly agentId: string;
  readonly base: Values;
  readonly values: Values;
  /** What the service has found in the saved draft. */
  readonly check: AgentCheck | null;
  readonly isReadOnly: boolean;
  readonly onChange: (name: FieldName, value: unknown) => void;
}

/** The tools of an agent (`agentSettings.tools`): a list that opens to a form for each. */
export function ToolsField(props: ToolsFieldProps) {
  const texts = useTexts(toolsTexts);
  const { agentSettings } = props.values;
  const settings = isObject(agentSettings) ? agentSettings : {};
  const tools = agentSettings === undefined || isObject(agentSettings) ? toolsIn(settings) : null;
  return (
    <section
      className={forms.group}
      id={placeOf('agentSettings.tools')}
      tabIndex={-1}
      aria-labelledby="group-tools"
      data-tools
    >
      <Title order={2} className={forms.groupTitle as string} id="group-tools">
        {texts.title}
      </Title>
      <div className={classes.content}>
        {tools === null ? (
          <Alert color="orange" variant="light">
            {texts.unreadable}
          </Alert>
        ) : (
          <ToolList {...props} settings={settings} tools={tools} />
        )}
      </div>
    </section>
  );
}

interface ToolListProps extends ToolsFieldProps {
  readonly settings: Record<string, unknown>;
  readonly tools: readonly Tool[];
}

function ToolList({ agentId, base, values, check, settings, tools, isReadOnly, onChange }: ToolListProps) {
  const texts = useTexts(toolsTexts);
  const { saidByService } = useAgentTexts();
  const [chosen, setOpen] = useState<number | null | 'automatic'>('automatic');
  const isChecked = isSame(base.agentSettings, values.agentSettings);
  const findings = isChecked ? findingsIn(check) : [];
  // Until the user has opened or closed one, the first that cannot be published is open, for links to its problems.
  const open = chosen === 'automatic' ? (findings[0]?.tool ?? null) : chosen;
  const saved = isObject(base.agentSettings) ? (toolsIn(base.agentSettings) ?? []) : [];
  const change = (next: readonly Tool[]) => onChange('agentSettings', withTools(settings, next));
  const show = (index: number) => {
    setOpen(index);
    focusAt(`agentSettings.tools.${index}.name`);
  };
  return (
    <>
      <p className={forms.meaning}>{tools.length === 0 ? `${texts.none} ${texts.meaning}` : texts.meaning}</p>
      <ul className={classes.tools}>
        {tools.map((tool, index) => {
          const place = placeOf(`agentSettings.tools.${index}`);
          const own = findings.filter((finding) => finding.tool === index);
          return (
            <ToolItem
              // biome-ignore lint/suspicious/noArrayIndexKey: names may be empty or duplicated while editing.
              key={index}
              agentId={agentId}
              tool={tool}
              isOpen={open === index}
              isSaved={saved.some((other) => isSameRequest(other, tool))}
              context={{ place, findings: own, isReadOnly, say: saidByService }}
              onOpen={(isOpen) => setOpen(isOpen ? index : null)}
              onChange={(changed) => {
                setOpen(index);
                change(tools.with(index, changed));
              }}
              onRemove={() => {
                change(tools.filter((_, other) => other !== index));
                setOpen(null);
                // The button that had the focus is gone.
                focusAt('agentSettings.tools');
              }}
            />
          );
        })}
      </ul>
      {!isReadOnly && tools.length < maxTools && (
        <div>
          <Button
            variant="default"
            leftSection={<PlusIcon size={16} />}
            onClick={() => {
              change([...tools, newTool(tools)]);
              show(tools.length);
            }}
          >
            {texts.add}
          </Button>
        </div>
      )}
    </>
  );
}

/** A test does not depend on the example. */
function isSameRequest(one: Tool, other: Tool): boolean {
  return isSame(withField(one, 'example', undefined), withField(other, 'example', undefined));
}

interface ToolFinding {
  readonly tool: number;
  /** In the tool, such as `url`. */
  readonly path: string;
  readonly message: string;
}

function findingsIn(check: AgentCheck | null): readonly ToolFinding[] {
  return (check?.errors ?? []).flatMap(({ field, path, message }) => {
    const [, index, rest = ''] = /^tools\.(\d+)(?:\.(.*))?$/s.exec(path) ?? [];
    return field === 'agentSettings' && index !== undefined ? [{ tool: Number(index), path: rest, message }] : [];
  });
}

interface ToolItemProps {
  readonly agentId: string;
  readonly tool: Tool;
  readonly isOpen: boolean;
  readonly isSaved: boolean;
  readonly context: Omit<FormContext, 'set'>;
  readonly onOpen: (isOpen: boolean) => void;
  readonly onChange: (tool: Tool) => void;
  readonly onRemove: () => void;
}

function ToolItem({ isOpen, onOpen, ...form }: ToolItemProps) {
  const texts = useTexts(toolsTexts);
  const { tool, context } = form;
  const name = textOf(tool.name) || '—';
  const problems = context.findings.length;
  return (
    <li className={classes.tool} data-is-open={isOpen || undefined}>
      <UnstyledButton
        id={context.place}
        className={classes.head as string}
        aria-expanded={isOpen}
        onClick={() => onOpen(!isOpen)}
      >
        <ChevronRightIcon size={14} />
        <code className={classes.toolName}>{name}</code>
        <span className={classes.toolAbout}>{textOf(tool.description)}</span>
        {problems > 0 && <span className={classes.problems}>{texts.problems(problems)}</span>}
        <span className={classes.toolAddress}>{addressOf(tool, texts.inPage)}</span>
      </UnstyledButton>
      {isOpen && <ToolForm {...form} />}
    </li>
  );
}

function addressOf({ where, method, url }: Tool, inPage: string): string {
  if (where === 'client') return inPage;
  return `${textOf(method) || 'POST'} ${textOf(url).replace(/^https?:\/\//, '')}`;
}
