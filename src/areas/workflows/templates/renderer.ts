import { parseTemplates, secretOf, type Template, type TemplateText } from '../../../contract/workflows/templates.ts';
import { instantOf } from '../../../core/filter.ts';
import { zoneOffset } from '../../../core/zoned-time.ts';
import { referenceTo } from '../../../net/partner/secrets.ts';
import { StepFailure } from '../step-failure.ts';
import type { TemplateContext } from './context.ts';
import { valueAt } from './values.ts';

/** How much a step may make of its templates: no value is repeated before it is known to fit. */
export const maxRenderedBytes = 256 * 1024;

/** Renders the texts of one step, once: values are inserted as they are, and never read as templates again. */
export class Renderer {
  readonly #context: TemplateContext;
  readonly #offsets = new Map<string, (ms: number) => number>();
  readonly #localTimes = new Map<string, string>();
  /** How long each value is as text. */
  readonly #lengths = new Map<string, number>();
  #renderedLength = 0;

  constructor(context: TemplateContext) {
    this.#context = context;
  }

  /** A string that is exactly one template has the type of its value; null only if `default` is null. */
  value(text: string): unknown {
    const parts = parsed(text);
    const [only] = parts;
    if (parts.length === 1 && only !== undefined && typeof only !== 'string') return this.#valueOf(only);
    return this.#joined(parts, (part) => textOf(this.#valueOf(part)));
  }

  /** A text in which each value is escaped for its place. Secrets stay as `{{secrets.NAME}}`. */
  text(text: string, escaped: (value: string) => string = (value) => value): string {
    return this.#joined(parsed(text), (part) => {
      const secret = secretOf(part);
      return secret === undefined ? escaped(textOf(this.#valueOf(part))) : referenceTo(secret);
    });
  }

  /** Every string in a JSON value. */
  json(value: unknown): unknown {
    if (typeof value === 'string') return this.value(value);
    if (Array.isArray(value)) return value.map((item) => this.json(item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, this.json(item)]));
  }

  #joined(parts: TemplateText, textFor: (template: Template) => string): string {
    return parts.map((part) => (typeof part === 'string' ? part : textFor(part))).join('');
  }

  #valueOf(template: Template): unknown {
    const { path, fallback, local } = template;
    const found = valueAt(path, this.#context);
    if (found === undefined) {
      if (fallback === null) throw new StepFailure('template_error', `{{${path}}} has no value`);
      this.#count(textOf(fallback.value).length);
      return fallback.value;
    }
    if (local !== null) return this.#localTime(template, found);
    this.#countValue(path, found);
    return found;
  }

  #localTime({ path, local }: Template, value: unknown): string {
    const ms = instantOf(value);
    const { as, timeZone } = local as NonNullable<Template['local']>;
    if (ms === undefined) throw new StepFailure('template_error', `{{${path}}} is not a time`);
    const text = this.#localTextOf(ms, timeZone);
    return as === 'date' ? text.slice(0, 10) : text.slice(11, 16);
  }

  /** Remembered, because a text may contain thousands of templates. */
  #localTextOf(ms: number, timeZone: string): string {
    const key = `${ms} ${timeZone}`;
    const known = this.#localTimes.get(key);
    if (known !== undefined) return known;
    const offsetAt = this.#offsets.get(timeZone) ?? zoneOffset(timeZone);
    this.#offsets.set(timeZone, offsetAt);
    const text = new Date(ms + offsetAt(ms)).toISOString();
    this.#localTimes.set(key, text);
    return text;
  }

  #countValue(path: string, value: unknown): void {
    if (typeof value === 'string') this.#count(value.length);
    else if (typeof value === 'object') {
      const length = this.#lengths.get(path) ?? JSON.stringify(value).length;
      this.#lengths.set(path, length);
      this.#count(length);
    }
  }

  #count(length: number): void {
    this.#renderedLength += length;
    if (this.#renderedLength > maxRenderedBytes) throw tooLarge();
  }
}

export function tooLarge(): StepFailure {
  return new StepFailure('request_too_large', `The step has more than ${maxRenderedBytes / 1024} KiB with its values.`);
}

/** Whether a step reads the transcript, which is not a part of the call. */
export function readsTranscript(step: object): boolean {
  return JSON.stringify(step).includes('transcript.text');
}

/** The templates of a definition that was checked when it was saved. */
function parsed(text: string): TemplateText {
  return text.includes('{{') ? parseTemplates(text, () => true) : [text];
}

export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);
}
