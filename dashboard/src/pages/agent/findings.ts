import type { AgentFinding } from '../../../../sdk/src/index.ts';
import { flowIn, isRecord } from '../../flow/flow.ts';
import type { Language } from '../../language/language.tsx';
import { fieldAt } from './checks.ts';
import { groupLabel, labelOf } from './field-texts.ts';
import { type Field, fields } from './fields.ts';
import type { AgentTexts } from './texts.ts';

/** The service reports this many at most. */
const maxFindings = 100;

export interface ShownFinding {
  /** The path in the agent, such as `agentSettings.flow.skills.3.next`. */
  readonly path: string;
  /** The place inside the field. Null: the field as a whole. */
  readonly place: string | null;
  readonly message: string;
}

export interface FindingGroup {
  /** Undefined: not a field of the form. */
  readonly field: Field | undefined;
  readonly label: string;
  readonly findings: readonly ShownFinding[];
}

/** The number of findings, as it is shown. */
export function countOf(findings: readonly unknown[]): string {
  return findings.length < maxFindings ? String(findings.length) : `${maxFindings}+`;
}

/** The findings by field, in the order of the form. `settings` has the flow, whose skills are named. */
export function groupFindings(
  findings: readonly AgentFinding[],
  settings: unknown,
  language: Language,
  texts: AgentTexts,
): readonly FindingGroup[] {
  const all = findings.map(({ field, path, message }) => {
    const whole = path === '' ? field : `${field}.${path}`;
    return { name: fieldAt(whole)?.name ?? field, path: whole, message };
  });
  const groups = [...new Set(all.map(({ name }) => name))].map((name) => {
    const field = fieldAt(name);
    const label =
      field === undefined
        ? name || texts.wholeRequest
        : texts.mentionedAt(groupLabel(field.group, language), labelOf(name, language));
    const shown = all.flatMap(({ name: at, path, message }) => {
      if (at !== name) return [];
      const rest = path.slice(name.length + 1);
      return {
        path,
        place: rest === '' ? null : placeWithin(field, withSkillName(rest, settings), language, texts),
        message,
      };
    });
    return { field, label, findings: shown };
  });
  const position = ({ field }: FindingGroup) => (field === undefined ? fields.length : fields.indexOf(field));
  return groups.toSorted((one, other) => position(one) - position(other));
}

/** As in the flow editor: `flow.skills.3.next` is `greet.next`. */
function withSkillName(path: string, settings: unknown): string {
  const [, position, rest] = /^flow\.skills\.(\d+)(.*)$/s.exec(path) ?? [];
  const flow = isRecord(settings) ? flowIn(settings) : null;
  const id = flow?.skills[Number(position)]?.id;
  return id === undefined || id === '' ? path : `${id}${rest}`;
}

/** In the words of the form: `0.options` is "Analysis field 1 · Options". JSON has no form, so its path is shown. */
function placeWithin(field: Field | undefined, path: string, language: Language, texts: AgentTexts): string {
  if (field === undefined || field.control === 'json') return path;
  const [, index, part = ''] = /^(?:(\d+)(?:\.|$))?(.*)$/s.exec(path) ?? [];
  const label = part === '' ? null : labelOf(`${field.name}.${part}`, language);
  if (index === undefined) return label ?? path;
  const row = rowName(field, Number(index) + 1, texts);
  return label === null ? row : texts.mentionedAt(row, label);
}

function rowName({ control }: Field, number: number, texts: AgentTexts): string {
  if (control === 'pronunciations') return texts.rule(number);
  return control === 'analysis' ? texts.analysisField(number) : texts.item(number);
}
