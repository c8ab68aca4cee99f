import { Text } from '@mantine/core';
import type { PhoneCheck } from '../../../../sdk/src/index.ts';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { Dot, type Tone } from '../../parts/dot.tsx';
import { checkTexts } from './carrier-texts.ts';
import { translatedCheck } from './check-messages.ts';
import classes from './numbers.module.css';

const tones: Readonly<Record<PhoneCheck['status'], Tone>> = { passed: 'good', failed: 'bad', manual: 'warn' };

interface ChecksProps {
  readonly checks: readonly PhoneCheck[];
  /** Whether they are being made for the first time. */
  readonly isChecking?: boolean;
}

/** What was checked, what was found, and what to do about it. */
export function Checks({ checks, isChecking = false }: ChecksProps) {
  const { language } = useLanguage();
  const texts = useTexts(checkTexts);
  if (checks.length === 0) {
    return (
      <Text size="sm" c="dimmed" role={isChecking ? 'status' : undefined}>
        {isChecking ? texts.checking : texts.notYet}
      </Text>
    );
  }
  return (
    <ul className={classes.checks}>
      {checks.map((check) => {
        const { message, remedy } = translatedCheck(check, language);
        return (
          <li key={check.name}>
            <Dot tone={tones[check.status]}>{texts[check.status]}</Dot>
            <div>
              <strong>{texts[check.name]}</strong>
              <span className={classes.found}>{message}</span>
              {remedy !== null && (
                <span className={classes.remedy}>
                  <strong>{texts.remedy}</strong> {remedy}
                </span>
              )}
            </div>
          </li>
        );
      })}
    </ul>
  );
}
