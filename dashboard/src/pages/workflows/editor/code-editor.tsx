import { useState } from 'react';
import { parse as parseYaml, stringify as yamlOf } from 'yaml';
import { useTexts } from '../../../language/language.tsx';
import controls from '../../../parts/controls.module.css';
import inputs from '../../../parts/form-inputs.module.css';
import { type Definition, definitionIn } from '../../../workflows/definition.ts';
import classes from './editor.module.css';
import { editorTexts } from './texts.ts';

export type CodeLanguage = 'json' | 'yaml';

interface CodeEditorProps {
  readonly language: CodeLanguage;
  readonly definition: Definition;
  readonly isReadOnly: boolean;
  readonly onChange: (definition: Definition) => void;
  /** Whether the text is no definition, which cannot be saved. */
  readonly onBroken: (isBroken: boolean) => void;
}

/** The trigger and the steps as JSON or YAML. Kept as typed as long as it says the same as the form. */
export function CodeEditor({ language, definition, isReadOnly, onChange, onBroken }: CodeEditorProps) {
  const texts = useTexts(editorTexts);
  const [typed, setTyped] = useState<string | null>(null);
  const read = typed === null ? null : definitionOf(typed, language);
  const isBroken = typed !== null && read === null;
  const isSame = read !== null && JSON.stringify(read) === JSON.stringify(definition);
  return (
    <div className={classes.code}>
      <p className={inputs.hint} id="workflow-code-hint">
        {texts.codeHint}
      </p>
      <textarea
        className={`${controls.input} ${controls.json}`}
        aria-label={texts.codeLabel}
        aria-describedby="workflow-code-hint workflow-code-issue"
        aria-invalid={isBroken || undefined}
        spellCheck={false}
        readOnly={isReadOnly}
        value={typed !== null && (isBroken || isSame) ? typed : textOf(definition, language)}
        onChange={({ currentTarget: { value } }) => {
          setTyped(value);
          const next = definitionOf(value, language);
          onBroken(next === null);
          if (next !== null) onChange(next);
        }}
      />
      <p className={inputs.issue} id="workflow-code-issue" role="status">
        {isBroken && texts.codeBroken}
      </p>
    </div>
  );
}

function textOf(definition: Definition, language: CodeLanguage): string {
  return language === 'json' ? JSON.stringify(definition, null, 2) : yamlOf(definition, { lineWidth: 0 });
}

function definitionOf(text: string, language: CodeLanguage): Definition | null {
  try {
    return definitionIn(language === 'json' ? JSON.parse(text) : parseYaml(text, { maxAliasCount: 0 }));
  } catch {
    return null;
  }
}
