import { isTimeZone } from '../agents/settings/time-zone.ts';
import { headerValueIssue } from '../agents/settings/tools.ts';
import { isObject } from '../json-object.ts';
import { checkedTemplates, type EarlierSteps, stepFieldIssue } from './template-issues.ts';
import { literalsOf, secretOf, type TemplateText } from './templates.ts';

/** What `next` and `otherwise` name to end the run. */
export const end = 'end';
export const timeOfDay = /^(?:[01]\d|2[0-3]):[0-5]\d$/;
export const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/;

type Path = readonly (string | number)[];
type Fields = Readonly<Record<string, unknown>>;

export interface StepIssue {
  readonly path: Path;
  readonly message: string;
}

/**
 * What the schema cannot say about a list of steps: it stops at the first level that has issues, and every issue is to be
 * reported at once. Takes anything, and says nothing about what the schema rejects.
 */
export function stepIssues(steps: readonly unknown[]): StepIssue[] {
  const issues: StepIssue[] = [];
  const earlier = earlierSteps(steps);
  const ids = new Set<unknown>();
  const zones = new KnownZones();
  for (const [index, step] of steps.entries()) {
    if (!isObject(step)) continue;
    const report = (path: Path, message: string): void => {
      if (issues.length < maxStepIssues) issues.push({ path: [index, ...path], message });
    };
    if (typeof step.id === 'string' && ids.has(step.id)) report(['id'], 'must be unique');
    ids.add(step.id);
    for (const { path, target } of targetsOf(step)) {
      if (!isLater(target, index, steps)) report(path, `must be the id of a later step, or ${end}`);
    }
    const isFull = (): boolean => issues.length >= maxStepIssues;
    new StepCheck(step, { earlier: earlier[index] as EarlierSteps, zones, report, isFull }).run();
  }
  return issues;
}

/** Where the run can go from a step, except to the following one. */
function targetsOf(step: Fields): { readonly path: Path; readonly target: string }[] {
  const routes = step.type === 'condition' && Array.isArray(step.routes) ? (step.routes as unknown[]) : [];
  const named: [Path, unknown][] = [
    ...routes.map((route, index): [Path, unknown] => [['routes', index, 'next'], isObject(route) ? route.next : null]),
    [['next'], step.type === 'condition' ? null : step.next],
    [['otherwise'], step.otherwise],
  ];
  return named.flatMap(([path, target]) => (typeof target === 'string' ? [{ path, target }] : []));
}

function isLater(target: string, index: number, steps: readonly unknown[]): boolean {
  return target === end || steps.some((step, place) => place > index && isObject(step) && step.id === target);
}

/** As many as a response reports. */
const maxStepIssues = 100;

/** For each step, those that can have run before it on some path. */
function earlierSteps(steps: readonly unknown[]): EarlierSteps[] {
  const earlier = steps.map(() => new Map<string, unknown>());
  const isReached = steps.map((_, index) => index === 0);
  const indexOf = new Map(steps.map((step, index) => [isObject(step) ? step.id : undefined, index]));
  for (const [index, step] of steps.entries()) {
    if (!isObject(step) || !isReached[index]) continue;
    const continues = step.type !== 'condition' && typeof step.next !== 'string';
    const places = targetsOf(step).map(({ target }) => indexOf.get(target) ?? -1);
    for (const place of continues ? [...places, index + 1] : places) {
      const following = earlier[place];
      if (place <= index || following === undefined) continue;
      isReached[place] = true;
      for (const [id, type] of earlier[index] as EarlierSteps) following.set(id, type);
      following.set(String(step.id), step.type);
    }
  }
  return earlier;
}

/** `Intl` takes a tenth of a millisecond for each name, and a definition has room for thousands. */
class KnownZones {
  readonly #known = new Map<string, boolean>();

  has(name: string): boolean {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const isKnown = this.#known.size < maxTimeZones && isTimeZone(name);
    this.#known.set(name, isKnown);
    return isKnown;
  }
}

const maxTimeZones = 20;

interface StepCheckParts {
  readonly earlier: EarlierSteps;
  readonly zones: KnownZones;
  readonly report: (path: Path, message: string) => void;
  /** Whether enough is known to stop. */
  readonly isFull: () => boolean;
}

/** The checks of one step. */
class StepCheck {
  readonly #step: Fields;
  readonly #earlier: EarlierSteps;
  readonly #zones: KnownZones;
  readonly #report: StepCheckParts['report'];
  readonly #isFull: StepCheckParts['isFull'];

  constructor(step: Fields, { earlier, zones, report, isFull }: StepCheckParts) {
    this.#step = step;
    this.#earlier = earlier;
    this.#zones = zones;
    this.#report = report;
    this.#isFull = isFull;
  }

  run(): void {
    const step = this.#step;
    switch (step.type) {
      case 'http_request':
        this.#request();
        break;
      case 'wait':
        this.#wait();
        break;
      case 'condition':
        for (const [index, route] of (Array.isArray(step.routes) ? step.routes : []).entries()) {
          if (isObject(route)) this.#filter(route.if, ['routes', index, 'if']);
        }
        break;
      case 'update_call':
        if (isObject(step.metadata) && Object.keys(step.metadata).length === 0 && (step.externalId ?? null) === null) {
          this.#report(['metadata'], 'must not be empty, unless externalId is given');
        }
        this.#json(step.metadata, ['metadata']);
        this.#text(step.externalId, ['externalId']);
        break;
      case 'create_call':
        this.#json(step.call, ['call']);
        break;
      default:
      // An unknown type is reported by the schema.
    }
  }

  #request(): void {
    const { url, headers, body, form, method } = this.#step;
    if (typeof url === 'string') this.#url(url);
    for (const [name, value] of Object.entries(isObject(headers) ? headers : {})) {
      const parts = this.#text(value, ['headers', name], true);
      const hasSecret = parts?.some((part) => typeof part !== 'string' && secretOf(part) !== undefined) ?? false;
      const issue = parts && headerValueIssue(name, literalsOf(parts), { hasSecret });
      if (issue !== undefined) this.#report(['headers', name], issue);
    }
    this.#json(body, ['body']);
    this.#json(form, ['form']);
    const given = ['body', 'form'].filter((name) => (this.#step[name] ?? null) !== null);
    if (given.length > 1) this.#report(['form'], 'must not be given with body');
    if (method === 'GET') for (const name of given) this.#report([name], 'is not sent with GET');
  }

  #url(url: string): void {
    const parts = this.#text(url, ['url'], true);
    if (parts === undefined) return;
    const sample = sampleUrl(parts);
    if (typeof sample === 'string') {
      const parsed = URL.parse(sample);
      const isWeb = parsed !== null && ['https:', 'http:'].includes(parsed.protocol);
      if (!isWeb) this.#report(['url'], 'must be a URL that starts with https://');
    } else this.#report(['url'], sample.issue);
  }

  #wait(): void {
    const { until, at, timeZone } = this.#step;
    const given = ['seconds', 'until', 'at'].filter((name) => (this.#step[name] ?? null) !== null);
    if (given.length !== 1)
      this.#report([given[1] ?? 'seconds'], 'must be given if no other of seconds, until and at is');
    if (typeof timeZone === 'string' && !given.includes('at')) this.#report(['timeZone'], 'is for at only');
    this.#literal(until, ['until'], (text) => isoTime.test(text) && !Number.isNaN(Date.parse(text)), mustBeTime);
    this.#literal(at, ['at'], (text) => timeOfDay.test(text), 'must be a time of day such as 09:00');
    this.#literal(
      timeZone,
      ['timeZone'],
      (name) => this.#zones.has(name),
      'must be the name of a time zone, such as Asia/Tokyo',
    );
  }

  #literal(value: unknown, path: Path, isValid: (text: string) => boolean, message: string): void {
    const parts = this.#text(value, path);
    if (parts?.every((part) => typeof part === 'string') && !isValid(value as string)) this.#report(path, message);
  }

  /** Fields of steps in a filter; all other fields are in its schema. */
  #filter(filter: unknown, path: Path): void {
    if (!isObject(filter)) return;
    const { all, any, not, field } = filter;
    for (const [name, list] of Object.entries({ all, any })) {
      for (const [index, part] of (Array.isArray(list) ? list : []).entries())
        this.#filter(part, [...path, name, index]);
    }
    if (not !== undefined) this.#filter(not, [...path, 'not']);
    const issue =
      typeof field === 'string' && field.startsWith('steps.') ? stepFieldIssue(field, this.#earlier) : undefined;
    if (issue !== undefined) this.#report([...path, 'field'], issue);
  }

  /** All strings in a JSON value. Names are never templates, so that no value changes the structure. */
  #json(value: unknown, path: Path): void {
    if (typeof value === 'string') this.#text(value, path);
    else if (Array.isArray(value)) for (const [index, item] of value.entries()) this.#json(item, [...path, index]);
    else if (isObject(value)) {
      for (const [name, item] of Object.entries(value)) {
        if (name.includes('{{')) this.#report([...path, name], 'must not have a template in its name');
        this.#json(item, [...path, name]);
      }
    }
  }

  #text(value: unknown, path: Path, acceptsSecrets = false): TemplateText | undefined {
    if (typeof value !== 'string' || this.#isFull()) return undefined;
    const place = { earlier: this.#earlier, acceptsSecrets, isTimeZone: (name: string) => this.#zones.has(name) };
    return checkedTemplates(value, place, (message) => this.#report(path, message));
  }
}

const mustBeTime = 'must be an ISO 8601 date-time, such as 2026-01-31T09:00:00Z';

/** The URL with an `x` for each template, or why a template could choose where it goes. */
export function sampleUrl(parts: TemplateText): string | { readonly issue: string } {
  const literals = literalsOf(parts);
  if (/[\s\\\p{Cc}]/u.test(literals)) return { issue: 'must not contain spaces, backslashes or control characters' };
  const [start] = parts;
  const isOriginLiteral =
    parts.every((part) => typeof part === 'string') ||
    (typeof start === 'string' && /^[a-z][a-z0-9+.-]*:\/\/[^/?#]+[/?#]/i.test(start));
  if (!isOriginLiteral) return { issue: 'must not have templates in scheme, host or port' };
  return parts.map((part) => (typeof part === 'string' ? part : 'x')).join('');
}
