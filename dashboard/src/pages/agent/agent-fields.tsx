import { Title } from '@mantine/core';
import { type ReactNode, useMemo } from 'react';
import { useLanguage } from '../../language/language.tsx';
import { fieldAt, type Issues, issuesWithin } from './checks.ts';
import { DraftSpeechContext, useDraftSpeechOf } from './draft-speech.ts';
import { isRelevant } from './engines.ts';
import { FieldRow } from './field-row.tsx';
import { groupLabel } from './field-texts.ts';
import { type Field, type FieldName, fields, fieldsOf, type GroupName } from './fields.ts';
import classes from './form.module.css';
import { isSame, type Values } from './values.ts';

interface AgentFieldsProps {
  readonly groups: readonly GroupName[];
  readonly base: Values;
  readonly values: Values;
  readonly issues: Issues;
  readonly isReadOnly: boolean;
  readonly onChange: (name: FieldName, value: unknown) => void;
  /** Without these fields. */
  readonly except?: readonly FieldName[];
  /** No other fields than these. */
  readonly only?: readonly FieldName[];
  /** All in one box, without titles. */
  readonly isPlain?: boolean;
}

const noIssues: Issues = {};
/** Short fields side by side, so that what matters comes soon. */
const compactGroups: readonly GroupName[] = ['basics'];

/** The fields of some groups, as far as they matter to the engine of the agent. */
export function AgentFields({
  groups,
  base,
  values,
  issues,
  isReadOnly,
  onChange,
  except = [],
  only,
  isPlain = false,
}: AgentFieldsProps) {
  const speech = useDraftSpeechOf(values);
  // Memoized, so that rows rerender only when their issues change.
  const issuesByField = useMemo(() => {
    const invalid = new Set(Object.keys(issues).map((path) => fieldAt(path)?.name));
    return new Map(fields.flatMap(({ name }) => (invalid.has(name) ? [[name, issuesWithin(issues, name)]] : [])));
  }, [issues]);
  const row = (field: Field) => (
    <FieldRow
      key={field.name}
      field={field}
      value={values[field.name]}
      isChanged={!isSame(base[field.name], values[field.name])}
      issues={issuesByField.get(field.name) ?? noIssues}
      isReadOnly={isReadOnly}
      onChange={onChange}
    />
  );
  const shownOf = (group: GroupName) =>
    fieldsOf(group).filter(
      ({ name }) =>
        !except.includes(name) &&
        (only === undefined || only.includes(name)) &&
        (isRelevant(name, values) || issuesByField.has(name)),
    );
  const shown = groups.map((group) => ({ group, rows: shownOf(group).map(row) })).filter(({ rows }) => rows.length > 0);
  return (
    <DraftSpeechContext value={speech}>
      {isPlain ? (
        <div className={classes.group}>{shown.map(({ group, rows }) => rowsOf(group, rows))}</div>
      ) : (
        <div className={classes.groups}>
          {shown.map(({ group, rows }) => (
            <Group key={group} group={group}>
              {rowsOf(group, rows)}
            </Group>
          ))}
        </div>
      )}
    </DraftSpeechContext>
  );
}

function rowsOf(group: GroupName, rows: readonly ReactNode[]): ReactNode {
  return compactGroups.includes(group) ? (
    <div key={group} className={classes.columns}>
      {rows}
    </div>
  ) : (
    rows
  );
}

function Group({ group, children }: { readonly group: GroupName; readonly children: ReactNode }) {
  const { language } = useLanguage();
  const isCompact = compactGroups.includes(group);
  return (
    <section className={classes.group} aria-labelledby={`group-${group}`}>
      <Title order={2} className={isCompact ? 'visually-hidden' : (classes.groupTitle as string)} id={`group-${group}`}>
        {groupLabel(group, language)}
      </Title>
      {children}
    </section>
  );
}
