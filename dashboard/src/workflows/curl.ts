import type { WorkflowRun } from '../../../sdk/src/index.ts';

export type RenderedRequest = NonNullable<WorkflowRun['steps'][number]['request']>;

/** The request as a command for a POSIX shell. Secrets stay placeholders, for the person who runs it to fill in. */
export function curlOf({ method, url, headers, body }: RenderedRequest): string {
  return [
    `curl -X ${method} ${quoted(url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === null ? [] : [`--data-raw ${quoted(body)}`]),
  ].join(' \\\n  ');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
