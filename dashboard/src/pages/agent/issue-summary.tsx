import { Alert, Anchor } from '@mantine/core';
import type { MouseEvent } from 'react';
import { WarningIcon } from '../../icons.tsx';
import { useLanguage } from '../../language/language.tsx';
import { fieldAt, type Issues } from './checks.ts';
import { groupLabel, labelOf } from './field-texts.ts';
import { placeOf } from './fields.ts';
import classes from './form.module.css';
import { useAgentTexts } from './texts.ts';

interface IssueSummaryProps {
  readonly issues: Issues;
  readonly others: readonly string[];
  /** Shows the field at a path. */
  readonly onGo: (path: string) => void;
}

/** All problems of the form, with links to their fields. */
export function IssueSummary({ issues, others, onGo }: IssueSummaryProps) {
  const texts = useAgentTexts();
  const { language, texts: shared } = useLanguage();
  const count = Object.keys(issues).length + others.length;
  if (count === 0) return null;
  const go = (event: MouseEvent, path: string) => {
    event.preventDefault();
    onGo(path);
  };
  return (
    <Alert color="red" variant="light" icon={<WarningIcon />} title={texts.issuesTitle(count)} role="alert" mb="lg">
      <ul className={classes.summary}>
        {Object.entries(issues).map(([path, messages]) => {
          const field = fieldAt(path);
          const label = labelOf(path, language);
          return (
            <li key={path}>
              {field === undefined ? (
                path
              ) : (
                <Anchor
                  href={`#${placeOf(path)}`}
                  onClick={(event) => go(event, path)}
                  className={classes.summaryLink as string}
                  inherit
                >
                  {texts.mentionedAt(groupLabel(field.group, language), label)}
                </Anchor>
              )}
              {shared.colon}
              {messages.join(' · ')}
            </li>
          );
        })}
        {others.map((message) => (
          <li key={message}>
            {texts.wholeRequest}
            {shared.colon}
            {message}
          </li>
        ))}
      </ul>
    </Alert>
  );
}
