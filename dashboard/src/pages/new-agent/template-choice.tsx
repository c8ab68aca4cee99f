import { SegmentedControl } from '@mantine/core';
import { useLanguage, useTexts } from '../../language/language.tsx';
import cards from '../../parts/template-cards.module.css';
import { useProviders } from '../../speech/use-voices.ts';
import { createLanguageNames } from '../agents/language-names.ts';
import classes from './new-agent.module.css';
import { type ChosenTemplate, firstTemplate, type TemplateLanguage, templatesIn } from './template-order.ts';
import { supportOf, templateValues } from './templates.ts';
import { newAgentTexts } from './texts.ts';

interface TemplateChoiceProps {
  readonly chosen: ChosenTemplate;
  readonly onChoose: (template: ChosenTemplate) => void;
}

/** Each language in itself, as in every list of languages. */
const languages = [
  { value: 'en', label: 'English' },
  { value: 'ja', label: '日本語' },
] as const satisfies { readonly value: TemplateLanguage; readonly label: string }[];

/** Radio buttons as cards. */
export function TemplateChoice({ chosen, onChoose }: TemplateChoiceProps) {
  const texts = useTexts(newAgentTexts);
  const chooseLanguage = (value: string) => {
    const language = value as TemplateLanguage;
    const isThere = templatesIn(language).includes(chosen.name);
    onChoose({ name: isThere ? chosen.name : firstTemplate, language });
  };
  return (
    <fieldset className={cards.cards}>
      <legend className={cards.legend}>{texts.template}</legend>
      <div className={classes.language}>
        <SegmentedControl
          size="xs"
          aria-label={texts.templateLanguage}
          data={[...languages]}
          value={chosen.language}
          onChange={chooseLanguage}
        />
        <Talking language={chosen.language} />
      </div>
      {templatesIn(chosen.language).map((name) => (
        <label key={name} className={cards.card}>
          <input
            type="radio"
            name="template"
            value={name}
            checked={name === chosen.name}
            onChange={() => onChoose({ name, language: chosen.language })}
          />
          <span className={cards.title}>{texts[name]}</span>
          <span className={cards.about}>{texts[`${name}-about`]}</span>
        </label>
      ))}
    </fieldset>
  );
}

/** Whether this service can talk in the language of the templates. */
function Talking({ language }: { readonly language: TemplateLanguage }) {
  const { language: shown } = useLanguage();
  const texts = useTexts(newAgentTexts);
  const providers = useProviders();
  if (providers.length === 0) return null;
  const { speechIn, speechOut } = supportOf(providers, templateValues({ name: firstTemplate, language }));
  const isTalking = speechIn && speechOut;
  const name = createLanguageNames(shown)(language);
  return (
    <span className={classes.talking} data-is-talking={isTalking || undefined}>
      {(isTalking ? texts.talkNow : speechOut ? texts.typeHearing : texts.typeReading)(name)}
    </span>
  );
}
