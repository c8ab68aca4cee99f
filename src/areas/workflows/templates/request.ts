import { NestingError } from '../../../contract/foreign-json.ts';
import type { StepOf } from '../../../contract/workflows/definition.ts';
import type { RunRequest } from '../../../contract/workflows/run.ts';
import { parseTemplates, secretOf } from '../../../contract/workflows/templates.ts';
import { responseValue } from '../../../net/partner/response-value.ts';
import {
  headersWithSecrets,
  type PartnerSecret,
  RequestProblem,
  referencesIn,
  textWithSecrets,
} from '../../../net/partner/secrets.ts';
import { StepFailure } from '../step-failure.ts';
import { maxRenderedBytes, type Renderer, textOf, tooLarge } from './renderer.ts';

export const maxResponseBytes = 64 * 1024;
/** What the outbound guard accepts. */
const maxUrlLength = 2048;
const maxHeadersLength = 16 * 1024;

/**
 * The request of a step, the same in every attempt. Secrets are inserted when it is sent, so that a rotated one takes
 * effect, and what is stored names them only.
 */
export function renderedRequest(step: StepOf<'http_request'>, renderer: Renderer, idempotencyKey: string): RunRequest {
  const { method, url, headers, body, form } = step;
  const content =
    body !== null
      ? { type: 'application/json', text: JSON.stringify(renderer.json(body)) }
      : form !== null
        ? { type: 'application/x-www-form-urlencoded', text: formText(form, renderer) }
        : null;
  if (content !== null && Buffer.byteLength(content.text) > maxRenderedBytes) throw tooLarge();
  return {
    method,
    url: urlText(url, renderer),
    headers: {
      ...headerTexts(headers, renderer),
      ...(content !== null && { 'Content-Type': content.type }),
      'Idempotency-Key': idempotencyKey,
    },
    body: content?.text ?? null,
  };
}

function urlText(template: string, renderer: Renderer): string {
  const url = renderer.text(template, percentEncoded);
  requirePlainPath(url);
  requireSameOrigin(template, url);
  if ([...url].length > maxUrlLength) {
    throw new StepFailure('template_error', `The URL is longer than ${maxUrlLength} characters with its values.`);
  }
  return url;
}

function percentEncoded(value: string): string {
  return encodeURIComponent(value.toWellFormed());
}

/** A URL is resolved before it is sent: `..` would choose another path than the one that the step names. */
function requirePlainPath(url: string): void {
  const [path = ''] = url.split('?', 1);
  const names = path.split('/').slice(3);
  if (names.some((name) => ['.', '..'].includes(name.replaceAll(/%2e/gi, '.')))) {
    throw new StepFailure('template_error', 'A part of the path is . or .. with its values.');
  }
}

/** Templates are accepted behind scheme, host and port only. */
function requireSameOrigin(template: string, url: string): void {
  const [start] = template.split('{{', 1);
  const isSame = URL.parse(url)?.origin === URL.parse(start as string)?.origin;
  if (!isSame) throw new StepFailure('template_error', 'The URL is not valid with its values.');
}

function headerTexts(headers: Readonly<Record<string, string>>, renderer: Renderer): Record<string, string> {
  const texts = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, renderer.text(value)]));
  for (const [name, text] of Object.entries(texts)) {
    if (!/^[\t\x20-\x7e]*$/.test(text)) {
      throw new StepFailure('template_error', `The header ${name} would not consist of printable ASCII characters.`);
    }
    // A secret is inserted wherever one is named, and values must not name any.
    const secrets = parseTemplates(headers[name] as string, () => true).filter(
      (part) => typeof part !== 'string' && secretOf(part) !== undefined,
    );
    if (referencesIn(text).length !== secrets.length) {
      throw new StepFailure('template_error', `The header ${name} would contain {{secrets.…}} in a value.`);
    }
  }
  if (Object.values(texts).join('').length > maxHeadersLength) {
    throw new StepFailure('request_too_large', 'The headers are longer than 16 KiB with their values.');
  }
  return texts;
}

function formText(form: Readonly<Record<string, string | number | boolean>>, renderer: Renderer): string {
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(form)) {
    const rendered = renderer.json(value);
    if (rendered !== null) fields.append(name, textOf(rendered));
  }
  return fields.toString();
}

/** What is sent in an attempt, with the values of the secrets. Throws a RequestProblem if it cannot be sent. */
export function requestWithSecrets(
  { method, url, headers, body }: RunRequest,
  secrets: ReadonlyMap<string, PartnerSecret>,
): RunRequest {
  const sent = { method, url: urlWithSecrets(url, secrets), headers: headersWithSecrets(headers, secrets), body };
  if (Object.values(sent.headers).some((value) => !/^[\t\x20-\x7e]*$/.test(value))) {
    throw new RequestProblem('a secret contains characters that a header cannot have');
  }
  return sent;
}

/** Slashes in a secret stay: addresses of chat channels consist of several parts that are all secret. */
function urlWithSecrets(url: string, secrets: ReadonlyMap<string, PartnerSecret>): string {
  const [path = '', ...query] = url.split(/(?=\?)/);
  const sent =
    textWithSecrets(path, secrets, (value) => percentEncoded(value).replaceAll('%2F', '/')) +
    textWithSecrets(query.join(''), secrets, percentEncoded);
  requirePlainPath(sent);
  if (URL.parse(sent)?.origin !== URL.parse(url)?.origin)
    throw new RequestProblem('the URL is not valid with its secrets');
  return sent;
}

/** The body of a response, without the secrets that it repeats: JSON, else text. */
export function responseBody(body: Buffer, secrets: ReadonlyMap<string, PartnerSecret>): unknown {
  try {
    return responseValue(
      body.toString(),
      Array.from(secrets.values(), ({ value }) => value),
    );
  } catch (error) {
    if (!(error instanceof NestingError)) throw error;
    throw new StepFailure('response_too_large', `The response is ${error.message}.`);
  }
}
