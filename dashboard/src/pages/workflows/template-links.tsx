import { useTexts } from '../../language/language.tsx';
import { GuardedButton } from '../../parts/scope-guard.tsx';
import { templateNames } from './templates.ts';
import { workflowsTexts } from './texts.ts';
import classes from './workflows.module.css';

/** The templates as links to a new workflow. */
export function TemplateLinks() {
  const texts = useTexts(workflowsTexts);
  return (
    <ul className={classes.templates}>
      {templateNames.map((name) => (
        <li key={name} className={classes.template}>
          <strong>{texts[name]}</strong>
          <span className={classes.about}>{texts[`${name}About`]}</span>
          <GuardedButton
            scope="workflows:write"
            href={`/workflows/new?template=${name}`}
            size="xs"
            variant={name === 'blank' ? 'default' : 'light'}
          >
            {texts.create}
            <span className="visually-hidden">: {texts[name]}</span>
          </GuardedButton>
        </li>
      ))}
    </ul>
  );
}
