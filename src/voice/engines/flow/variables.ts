import type { SkillOf } from '../../../contract/agents/settings/flow.ts';
import { isJapanese } from '../../text/language.ts';
import type { AnswerKind, AnswerValue } from '../../understanding/answer.ts';
import { patternOf } from '../../understanding/phrases.ts';
import { spokenForm } from '../../understanding/spoken-form.ts';
import type { Scalar, Variables } from '../../variables.ts';
import type { CompiledFlow } from './compile.ts';
import type { FlowFacts } from './state.ts';

/** What was collected wins over what the call was given, and that over the agent's defaults. Null is no value. */
export function storedValue(
  name: string,
  collected: Variables,
  { variables, agentVariables }: Pick<FlowFacts, 'variables' | 'agentVariables'>,
): Scalar | undefined {
  return ownValue(collected, name) ?? ownValue(variables, name) ?? ownValue(agentVariables, name);
}

/** A value as it is spoken: 12月24日, although tools get 2026-12-24. */
export function spokenVariable(flow: CompiledFlow, name: string, collected: Variables, facts: FlowFacts) {
  const skill = flow.askedBy.get(name);
  const value = ownValue(collected, name);
  if (skill === undefined || value === undefined) return storedValue(name, collected, facts);
  return hasForm(value, skill.as) ? spokenValue(flow, skill, value, false) : value;
}

export function spokenValue(
  { language }: CompiledFlow,
  { as, options }: SkillOf<'ask'>,
  value: AnswerValue,
  isSpelledOut: boolean,
): string {
  if (as === 'choice') {
    const names = options?.find((option) => option.value === value)?.say ?? [];
    return names.find((name) => patternOf(name) === undefined) ?? String(value);
  }
  if (as === 'text' && isJapanese(language)) return withoutPoliteEnding(String(value));
  return spokenForm(value, as, language, { characterByCharacter: isSpelledOut });
}

export function readField(field: string, collected: Variables, facts: FlowFacts): unknown {
  const dot = field.indexOf('.');
  const source = { collectedVariables: collected, variables: facts.variables, metadata: facts.metadata };
  const values = source[field.slice(0, dot) as keyof typeof source] as Readonly<Record<string, unknown>>;
  const name = field.slice(dot + 1);
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

/** `{"variables": {…}}` in a tool's result. A list or an object is no value of a variable. */
export function variablesIn(result: unknown): Variables {
  if (typeof result !== 'object' || result === null || !('variables' in result)) return {};
  const { variables } = result;
  if (typeof variables !== 'object' || variables === null || Array.isArray(variables)) return {};
  return Object.fromEntries(
    Object.entries(variables).filter(([, value]) => value === null || typeof value !== 'object'),
  ) as Variables;
}

function ownValue(variables: Variables, name: string): Exclude<Scalar, null> | undefined {
  return Object.hasOwn(variables, name) ? (variables[name] ?? undefined) : undefined;
}

const politeEnding = /(?:です|でございます|と申します|といいます|と言います|でお願い(?:いた)?します)$/;

/** The caller said 山田です, and the text is {{name}}様. */
function withoutPoliteEnding(words: string): string {
  let end = words.length;
  while (end > 0 && /[。、.\s]/.test(words[end - 1] as string)) end -= 1;
  // Only the end is searched, because a value may have thousands of characters.
  const ending = politeEnding.exec(words.slice(Math.max(0, end - 20), end))?.[0] ?? '';
  return words.slice(0, end - ending.length) || words;
}

/** A tool or another skill may have set the variable to something else. */
function hasForm(value: Scalar, as: AnswerKind): value is AnswerValue {
  switch (as) {
    case 'yes_no':
      return typeof value === 'boolean';
    case 'number':
      return typeof value === 'number';
    case 'date':
      return typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value);
    case 'time':
      return typeof value === 'string' && /^\d\d:\d\d$/.test(value);
    case 'text':
    case 'digits':
    case 'phone':
    case 'email':
    case 'postal_code':
    case 'choice':
      return typeof value === 'string';
    default:
      return as satisfies never;
  }
}
