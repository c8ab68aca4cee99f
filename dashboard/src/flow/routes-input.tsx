import type { FilterOp } from '../../../src/contract/filter.ts';
import { ChoiceInput, JsonInput, LinesInput, TextInput } from '../parts/form-inputs.tsx';
import { isRecord } from '../parts/json-value.ts';
import { NumberedFields } from '../parts/numbered-fields.tsx';
import classes from './flow.module.css';
import { routesOf, type Skill } from './flow.ts';
import { opLabel } from './skill-preview.ts';
import { type SkillContext, TargetInput } from './target-input.tsx';
import { useFlowTexts } from './use-flow-texts.ts';

/** Those of one value; others, and combinations, are JSON. */
const operators: readonly FilterOp[] = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'contains', 'startsWith', 'exists'];

interface RoutesInputProps {
  readonly skill: Skill;
  readonly context: SkillContext;
}

/** The routes of a skill: by words, by condition, or as the model decides. */
export function RoutesInput({ skill, context }: RoutesInputProps) {
  const texts = useFlowTexts();
  const routes = routesOf(skill);
  const empty = {
    choose: { when: [] },
    branch: { if: { field: 'collectedVariables.', op: 'eq', value: '' } },
    prompt: { name: `route_${routes.length + 1}`, description: '' },
  }[skill.type];
  const remove = (left: readonly object[]) =>
    context.set('routes', left.length === 0 && skill.type === 'prompt' ? undefined : left);
  return (
    <NumberedFields
      items={routes}
      texts={{ title: texts.route, remove: texts.removeRoute, add: texts.addRoute }}
      onAdd={context.isReadOnly ? null : () => context.set('routes', [...routes, empty])}
      onRemove={context.isReadOnly ? null : remove}
    >
      {(route, index) => (
        <>
          <Condition skill={skill} route={route} index={index} context={context} />
          <TargetInput context={context} path={`routes.${index}.next`} label={texts.next} value={route.next} />
        </>
      )}
    </NumberedFields>
  );
}

interface ConditionProps extends RoutesInputProps {
  readonly route: Record<string, unknown>;
  readonly index: number;
}

function Condition({ skill, route, index, context }: ConditionProps) {
  const texts = useFlowTexts();
  const at = `routes.${index}`;
  if (skill.type === 'choose') {
    return <LinesInput context={context} path={`${at}.when`} label={texts.when} value={route.when} />;
  }
  if (skill.type === 'prompt') {
    return (
      <>
        <TextInput context={context} path={`${at}.name`} label={texts.routeName} value={route.name} />
        <TextInput
          context={context}
          path={`${at}.description`}
          label={texts.routeDescription}
          value={route.description}
        />
      </>
    );
  }
  const { if: condition } = route;
  if (!isSimple(condition)) {
    return <JsonInput context={context} path={`${at}.if`} label={texts.condition} value={condition} />;
  }
  return (
    <div className={classes.condition}>
      <TextInput context={context} path={`${at}.if.field`} label={texts.field} value={condition.field} />
      <ChoiceInput
        context={{ ...context, set: (_, op) => context.set(`${at}.if`, withOperator(condition, op)) }}
        path={`${at}.if.op`}
        label={texts.op}
        value={condition.op}
        options={operators.map((value) => ({ value, label: opLabel(value, texts) }))}
      />
      <TextInput
        context={{ ...context, set: (path, value) => context.set(path, scalar(value)) }}
        path={`${at}.if.value`}
        label={texts.value}
        value={typeof condition.value === 'string' ? condition.value : JSON.stringify(condition.value)}
      />
    </div>
  );
}

interface SimpleCondition {
  readonly field: string;
  readonly op: string;
  readonly value: unknown;
}

/** Whether there is a value is true or false. */
function withOperator(condition: SimpleCondition, op: unknown): object {
  return { ...condition, op, ...(op === 'exists' && typeof condition.value !== 'boolean' && { value: true }) };
}

function isSimple(condition: unknown): condition is SimpleCondition {
  return (
    isRecord(condition) &&
    typeof condition.field === 'string' &&
    typeof condition.op === 'string' &&
    ['string', 'number', 'boolean'].includes(typeof condition.value)
  );
}

/** `true` and `3` are not texts. */
function scalar(value: unknown): unknown {
  if (value === 'true') return true;
  if (value === 'false') return false;
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
}
