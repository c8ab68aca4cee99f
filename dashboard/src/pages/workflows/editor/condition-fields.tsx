import { useTexts } from '../../../language/language.tsx';
import inputs from '../../../parts/form-inputs.module.css';
import { NumberedFields } from '../../../parts/numbered-fields.tsx';
import { end, routesOf } from '../../../workflows/definition.ts';
import { FilterInput } from './filter-input.tsx';
import { newLeaf } from './filter-values.ts';
import { type StepFieldsProps, TargetInput } from './target-input.tsx';
import { editorTexts } from './texts.ts';

const maxRoutes = 20;

/** The first route whose conditions hold is taken. */
export function ConditionFields({ step, context }: StepFieldsProps) {
  const texts = useTexts(editorTexts);
  const routes = routesOf(step);
  const change = (changed: readonly object[]) => context.set('routes', changed);
  const add = () => change([...routes, { if: newLeaf, next: context.later[0] ?? end }]);
  return (
    <NumberedFields
      items={routes}
      texts={{
        title: (number) => texts.route(String(number)),
        remove: (number) => texts.removeRoute(String(number)),
        add: texts.addRoute,
      }}
      hint={<p className={inputs.hint}>{texts.routesHint}</p>}
      onAdd={context.isReadOnly || routes.length >= maxRoutes ? null : add}
      onRemove={context.isReadOnly || routes.length <= 1 ? null : change}
    >
      {(route, index) => (
        <>
          <FilterInput context={context} path={`routes.${index}.if`} label={texts.ifThis} value={route.if} />
          <TargetInput context={context} path={`routes.${index}.next`} label={texts.goTo} value={route.next} />
        </>
      )}
    </NumberedFields>
  );
}
