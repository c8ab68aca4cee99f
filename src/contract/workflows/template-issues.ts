import { isCallPath } from './call-paths.ts';
import { parseTemplates, secretOf, type Template, TemplateSyntaxError, type TemplateText } from './templates.ts';

/** The outputs of each type of step. */
const outputNames: Readonly<Record<string, readonly string[]>> = {
  http_request: ['statusCode', 'body'],
  wait: ['resumedAt'],
  condition: ['matched'],
  update_call: [],
  create_call: ['callId'],
};
const fixedPaths = ['transcript.text', 'run.id', 'run.startedAt', 'workflow.id', 'now'];
const stepPath = /^steps\.([^.]*)\.(status|statusCode|output)(?:\.(.+))?$/su;

/** The types of the steps that can have run before the one that is checked, by id. */
export type EarlierSteps = ReadonlyMap<string, unknown>;

export interface TemplatePlace {
  readonly earlier: EarlierSteps;
  /** Whether it is a header, or a part of a URL. */
  readonly acceptsSecrets: boolean;
  readonly isTimeZone: (name: string) => boolean;
}

/** The parts of a text; undefined if it has an issue, which is reported. */
export function checkedTemplates(
  text: string,
  place: TemplatePlace,
  report: (message: string) => void,
): TemplateText | undefined {
  try {
    const parts = parseTemplates(text, place.isTimeZone);
    let isValid = true;
    for (const part of parts) {
      const issue = typeof part === 'string' ? undefined : templateIssue(part, place);
      if (issue !== undefined) report(issue);
      isValid &&= issue === undefined;
    }
    return isValid ? parts : undefined;
  } catch (error) {
    if (!(error instanceof TemplateSyntaxError)) throw error;
    report(error.message);
    return undefined;
  }
}

function templateIssue(template: Template, { earlier, acceptsSecrets }: TemplatePlace): string | undefined {
  const { path } = template;
  if (path.startsWith('secrets.')) return secretIssue(template, acceptsSecrets);
  if (path.startsWith('call.')) {
    return isCallPath(path.split('.').slice(1)) ? undefined : `names ${quoted(path)}, which is not a field of a call`;
  }
  if (path.startsWith('steps.')) return stepFieldIssue(path, earlier);
  if (fixedPaths.includes(path)) return undefined;
  return `names ${quoted(path)}, which is unknown: use call.…, steps.…, secrets.…, ${fixedPaths.join(', ')}`;
}

function secretIssue(template: Template, isAccepted: boolean): string | undefined {
  if (secretOf(template) === undefined) {
    return `names ${quoted(template.path)}, which is not {{secrets.NAME}} with capital letters, digits and underscores`;
  }
  if (!isAccepted) return 'may contain secrets only in headers, path and query of a request';
  return template.fallback === null && template.local === null
    ? undefined
    : 'must have nothing after the name of a secret';
}

/** What is wrong with `steps.<id>.…` in a template or in a condition. */
export function stepFieldIssue(path: string, earlier: EarlierSteps): string | undefined {
  const [match, id = '', field, inner = ''] = stepPath.exec(path) ?? [];
  if (match === undefined || (field !== 'output' && inner !== '')) {
    return `names ${quoted(path)}, which must be steps.<id>.status, .statusCode or .output.<path>`;
  }
  if (!earlier.has(id)) return `names the step ${quoted(id)}, which cannot have run before this one`;
  const names = outputNames[String(earlier.get(id))];
  if (names === undefined || field === 'status') return undefined;
  const output = field === 'statusCode' ? field : inner.split('.')[0];
  if (output === '' || names.includes(output as string)) return undefined;
  const known = names.length === 0 ? 'has no output' : `has the output ${names.join(', ')}`;
  return `names ${quoted(path)}, but the step ${id} ${known}`;
}

/** Names come from callers and may be long. */
function quoted(name: string): string {
  return name.length <= 64 ? name : `${name.slice(0, 63)}…`;
}
