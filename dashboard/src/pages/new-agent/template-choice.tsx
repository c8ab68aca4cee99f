import { useLanguage, useTexts } from '../../language/language.tsx';
import { useProviders } from '../../speech/use-voices.ts';
import { createLanguageNames } from '../agents/language-names.ts';
import classes from './new-agent.module.css';
import { type TemplateName, templateOrder } from './template-order.ts';
import { supportOf, templateNamed } from './templates.ts';
import { newAgentTexts } from './texts.ts';

interface TemplateChoiceProps {
  readonly chosen: TemplateName;
  readonly onChoose: (name: TemplateName) => void;
}

/** Radio buttons as cards. */
export function TemplateChoice({ chosen, onChoose }: TemplateChoiceProps) {
  const texts = useTexts(newAgentTexts);
  const providers = useProviders();
  const abouts: Readonly<Record<TemplateName, string>> = {
    'opening-hours': texts.openingHoursAbout,
    'faq-desk': texts.faqDeskAbout,
    survey: texts.surveyAbout,
    salon: texts.salonAbout,
    blank: texts.blankAbout,
  };
  return (
    <fieldset className={classes.templates}>
      <legend className={classes.legend}>{texts.template}</legend>
      {templateOrder(providers).map((name) => (
        <label key={name} className={classes.template}>
          <input type="radio" name="template" value={name} checked={name === chosen} onChange={() => onChoose(name)} />
          <span className={classes.templateTitle}>{texts[name]}</span>
          <span className={classes.about}>{abouts[name]}</span>
          {name !== 'blank' && providers.length > 0 && <Talking name={name} />}
        </label>
      ))}
    </fieldset>
  );
}

function Talking({ name: template }: { readonly name: TemplateName }) {
  const { language } = useLanguage();
  const texts = useTexts(newAgentTexts);
  const { values } = templateNamed(template, language);
  const { speechIn, speechOut } = supportOf(useProviders(), values);
  const name = createLanguageNames(language)(String(values.language).split('-')[0] ?? '');
  const isTalking = speechIn && speechOut;
  return (
    <span className={classes.talking} data-is-talking={isTalking || undefined}>
      {isTalking ? texts.talkNow : speechOut ? texts.typeHearing(name) : texts.typeReading(name)}
    </span>
  );
}
