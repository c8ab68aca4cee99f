import { SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Scrollable } from '../../parts/scrollable.tsx';
import { type CodeLanguage, codeSample, type SampleRequest } from './code-samples.ts';
import classes from './code-view.module.css';
import { useAgentTexts } from './texts.ts';

const languages: { value: CodeLanguage; label: string }[] = [
  { value: 'curl', label: 'curl' },
  { value: 'typescript', label: 'TypeScript' },
  { value: 'cli', label: 'CLI' },
];

/** The same operation with curl, TypeScript and the CLI, to copy. */
export function CodeView({ request }: { readonly request: SampleRequest }) {
  const texts = useAgentTexts();
  const [language, setLanguage] = useState<CodeLanguage>('curl');
  const code = codeSample(language, request, location.origin);
  return (
    <div className={classes.frame}>
      <div className={classes.head}>
        <SegmentedControl
          size="xs"
          aria-label={texts.code}
          data={languages}
          value={language}
          onChange={(chosen) => setLanguage(chosen as CodeLanguage)}
        />
        <CopyButton value={code} size="xs" />
      </div>
      <Scrollable className={classes.scroller} label={texts.code}>
        <pre className={classes.code}>{code}</pre>
      </Scrollable>
    </div>
  );
}
