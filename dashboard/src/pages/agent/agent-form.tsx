import { Title } from '@mantine/core';
import { type MouseEvent, useEffect, useMemo, useState } from 'react';
import { useLanguage } from '../../language/language.tsx';
import { fieldAt, type Issues, issuesWithin } from './checks.ts';
import { DraftSpeechContext, useDraftSpeechOf } from './draft-speech.ts';
import { FieldRow } from './field-row.tsx';
import { groupLabel } from './field-texts.ts';
import { type FieldName, fields, fieldsOf, type GroupName, groups } from './fields.ts';
import classes from './form.module.css';
import { useAgentTexts } from './texts.ts';
import { isSame, type Values } from './values.ts';

interface AgentFormProps {
  readonly base: Values;
  readonly values: Values;
  readonly issues: Issues;
  readonly isReadOnly: boolean;
  readonly onChange: (name: FieldName, value: unknown) => void;
}

const noIssues: Issues = {};

/** All fields by group, with a navigation between the groups. */
export function AgentForm({ base, values, issues, isReadOnly, onChange }: AgentFormProps) {
  const { language } = useLanguage();
  const speech = useDraftSpeechOf(values);
  // Memoized, so that rows rerender only when their issues change.
  const issuesByField = useMemo(() => {
    const invalid = new Set(Object.keys(issues).map((path) => fieldAt(path)?.name));
    return new Map(fields.flatMap(({ name }) => (invalid.has(name) ? [[name, issuesWithin(issues, name)]] : [])));
  }, [issues]);
  return (
    <DraftSpeechContext value={speech}>
      <div className={classes.layout}>
        <GroupNav base={base} values={values} issues={issues} />
        <div className={classes.groups}>
          {groups.map((group) => (
            <section
              key={group}
              className={classes.group}
              id={`group-${group}`}
              aria-labelledby={`group-${group}-title`}
            >
              <Title order={2} className={classes.groupTitle as string} id={`group-${group}-title`} tabIndex={-1}>
                {groupLabel(group, language)}
              </Title>
              {fieldsOf(group).map((field) => (
                <FieldRow
                  key={field.name}
                  field={field}
                  value={values[field.name]}
                  isChanged={!isSame(base[field.name], values[field.name])}
                  issues={issuesByField.get(field.name) ?? noIssues}
                  isReadOnly={isReadOnly}
                  onChange={onChange}
                />
              ))}
            </section>
          ))}
        </div>
      </div>
    </DraftSpeechContext>
  );
}

function GroupNav({ base, values, issues }: Pick<AgentFormProps, 'base' | 'values' | 'issues'>) {
  const { language } = useLanguage();
  const texts = useAgentTexts();
  const current = useCurrentGroup();
  const invalid = Object.keys(issues).map((path) => fieldAt(path)?.group);
  const go = (event: MouseEvent, group: GroupName) => {
    // Does not change the URL, so that the back button leads to the previous page instead of through the form.
    event.preventDefault();
    document.getElementById(`group-${group}`)?.scrollIntoView();
    document.getElementById(`group-${group}-title`)?.focus({ preventScroll: true });
  };
  return (
    <nav className={classes.nav} aria-label={texts.groups}>
      {groups.map((group) => {
        const changed = fieldsOf(group).filter(({ name }) => !isSame(base[name], values[name])).length;
        const issueCount = invalid.filter((at) => at === group).length;
        return (
          <a
            key={group}
            href={`#group-${group}`}
            className={classes.navItem}
            aria-current={group === current ? 'true' : undefined}
            onClick={(event) => go(event, group)}
          >
            {groupLabel(group, language)}
            {changed + issueCount > 0 && (
              <span className={classes.navMark} data-is-invalid={issueCount > 0 || undefined}>
                {issueCount || changed}
                <span className="visually-hidden">
                  {' '}
                  {issueCount > 0 ? texts.issuesTitle(issueCount) : texts.changed}
                </span>
              </span>
            )}
          </a>
        );
      })}
    </nav>
  );
}

/** The group currently in the upper part of the window. */
function useCurrentGroup(): GroupName {
  const [current, setCurrent] = useState<GroupName>('basics');
  useEffect(() => {
    const observer = new IntersectionObserver(
      (entries) => {
        const seen = entries.find(({ isIntersecting }) => isIntersecting);
        if (seen !== undefined) setCurrent(seen.target.id.slice('group-'.length) as GroupName);
      },
      { rootMargin: '-15% 0px -75% 0px' },
    );
    for (const group of groups) {
      const section = document.getElementById(`group-${group}`);
      if (section !== null) observer.observe(section);
    }
    return () => observer.disconnect();
  }, []);
  return current;
}
