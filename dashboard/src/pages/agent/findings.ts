import type { AgentFinding } from '../../../../sdk/src/index.ts';
import { flowIn } from '../../flow/flow.ts';
import { nameProblem, stepAt } from '../../flow/problem-names.ts';
import { flowTexts } from '../../flow/texts.ts';
import type { Language } from '../../language/language.tsx';
import { isRecord } from '../../parts/json-value.ts';
import { toolsTexts } from '../../tools/texts.ts';
import { toolsIn } from '../../tools/tools.ts';
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
  /** Its place in the form, such as `agentSettings.flow`. */
  readonly path: string;
  /** The places are in words, also in a field that is JSON. */
  readonly isNamed: boolean;
  readonly findings: readonly ShownFinding[];
}

/** The number of findings, as it is shown. */
export function countOf(findings: readonly unknown[]): string {
  return findings.length < maxFindings ? String(findings.length) : `${maxFindings}+`;
}

const flowName = 'agentSettings.flow';
const toolsName = 'agentSettings.tools';

/** The findings by field, in the order of the form. `settings` has the flow, whose steps are named. */
export function groupFindings(
  findings: readonly AgentFinding[],
  settings: unknown,
  language: Language,
  texts: AgentTexts,
): readonly FindingGroup[] {
  const all = findings.map(({ field, path, message }) => {
    const whole = path === '' ? field : `${field}.${path}`;
    if (field === 'agentSettings' && stepAt(path) !== null) return { name: flowName, path: whole, message };
    if (/^tools\.\d/.test(path) && field === 'agentSettings') return { name: toolsName, path: whole, message };
    return { name: fieldAt(whole)?.name ?? field, path: whole, message };
  });
  const groups = [...new Set(all.map(({ name }) => name))].map((name): FindingGroup => {
    const found = all.filter((finding) => finding.name === name);
    const field = fieldAt(name);
    if (name === flowName) {
      const label = flowTexts[language].title;
      return { field, label, path: name, isNamed: true, findings: found.map(namesOf(settings, language, texts)) };
    }
    if (name === toolsName) {
      const label = toolsTexts[language].title;
      return { field, label, path: name, isNamed: true, findings: found.map(toolNamesOf(settings, language, texts)) };
    }
    const label =
      field === undefined
        ? name || texts.wholeRequest
        : texts.mentionedAt(groupLabel(field.group, language), labelOf(name, language));
    const shown = found.map(({ path, message }) => {
      const rest = path.slice(name.length + 1);
      return { path, place: rest === '' ? null : placeWithin(field, rest, language, texts), message };
    });
    return { field, label, path: name, isNamed: false, findings: shown };
  });
  const position = ({ field }: FindingGroup) => (field === undefined ? fields.length : fields.indexOf(field));
  return groups.toSorted((one, other) => position(one) - position(other));
}

/** As in the flow editor: `flow.skills.3.next` is `greet · then`. */
function namesOf(settings: unknown, language: Language, texts: AgentTexts) {
  const flow = isRecord(settings) ? flowIn(settings) : null;
  return ({ path, message }: { readonly path: string; readonly message: string }): ShownFinding => {
    const at = stepAt(path.slice('agentSettings.'.length));
    const skill = at === null ? undefined : flow?.skills[at.position];
    const named = nameProblem(skill, { path: at?.path ?? '', message }, flowTexts[language], texts.saidByService);
    return { path, place: named.place, message: named.text };
  };
}

/** As in the form of a tool: `tools.0.url` is `find_order · URL`. */
function toolNamesOf(settings: unknown, language: Language, texts: AgentTexts) {
  const tools = isRecord(settings) ? (toolsIn(settings) ?? []) : [];
  const words: Readonly<Record<string, unknown>> = toolsTexts[language];
  return ({ path, message }: { readonly path: string; readonly message: string }): ShownFinding => {
    const [index = '', part = ''] = path.slice(toolsName.length + 1).split('.');
    const name = tools[Number(index)]?.name;
    const label = words[part];
    const first = typeof name === 'string' && name !== '' ? name : texts.item(Number(index) + 1);
    const place = part === '' ? first : `${first} · ${typeof label === 'string' ? label : part}`;
    return { path, place, message: texts.saidByService(message) };
  };
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
