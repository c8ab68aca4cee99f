import { Button, Switch, TextInput } from '@mantine/core';
import { useTexts } from '../language/language.tsx';
import { inBothLanguages } from '../language/texts.ts';
import type { TrialSettings } from './trial-settings.ts';
import classes from './try.module.css';

const optionTexts = inBothLanguages(
  {
    examples: 'Example results',
    examplesOn: 'Tools are not called: each returns its example.',
    examplesOff: 'Tools are called, as in every other call.',
    incomplete: 'A tool without an example fails.',
    variables: (count: number) => `Variables (${count})`,
    usual: (value: string) => `Default: ${value}`,
    apply: 'Start again with these',
  },
  {
    examples: '結果の例を使う',
    examplesOn: 'ツールは呼び出されず、結果の例が返されます。',
    examplesOff: '通常の通話と同じようにツールを呼び出します。',
    incomplete: '例のないツールは失敗します。',
    variables: (count) => `変数（${count}）`,
    usual: (value) => `既定値：${value}`,
    apply: 'この値で最初から始める',
  },
);

/** Values for the variables of the agent, and whether its tools are called. Nothing if it has neither. */
export function TrialOptions({ settings }: { readonly settings: TrialSettings }) {
  const texts = useTexts(optionTexts);
  const { usesExamples, isComplete, setUsesExamples, variables, typed, isTyping, type, apply } = settings;
  if (usesExamples === null && variables.length === 0) return null;
  const hint = usesExamples === true ? texts.examplesOn : texts.examplesOff;
  return (
    <div className={classes.options}>
      {usesExamples !== null && (
        <Switch
          size="xs"
          label={texts.examples}
          description={usesExamples && !isComplete ? `${hint} ${texts.incomplete}` : hint}
          checked={usesExamples}
          onChange={({ currentTarget }) => setUsesExamples(currentTarget.checked)}
        />
      )}
      {variables.length > 0 && (
        <details className={classes.variables}>
          <summary>{texts.variables(variables.length)}</summary>
          <form
            onSubmit={(event) => {
              event.preventDefault();
              apply();
            }}
          >
            {variables.map(({ name, description, usual }) => (
              <TextInput
                key={name}
                size="xs"
                label={name}
                description={description}
                placeholder={usual === null ? '' : texts.usual(usual)}
                value={typed[name] ?? ''}
                onChange={({ currentTarget }) => type(name, currentTarget.value)}
                autoComplete="off"
              />
            ))}
            <Button type="submit" size="compact-xs" variant="default" disabled={!isTyping}>
              {texts.apply}
            </Button>
          </form>
        </details>
      )}
    </div>
  );
}
