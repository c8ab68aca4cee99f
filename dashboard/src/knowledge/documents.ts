import type { Document } from '../../../sdk/src/index.ts';

/** As in the contract, which the browser does not load: it would bring the whole schema library. */
export const maxFileBytes = 25 * 1024 * 1024;
export const maxTextCharacters = 300_000;

/** What a file dialog offers. The service decides by the bytes. */
export const acceptedFiles = '.txt,.md,.markdown,.html,.htm,.pdf,.docx,.csv';

export function isInWork({ status }: Pick<Document, 'status'>): boolean {
  return status !== 'ready' && status !== 'failed';
}

/** A failed document whose former content is still searched is no more than a warning. */
export function toneOf({ status, revision }: Pick<Document, 'status' | 'revision'>): 'good' | 'warn' | 'bad' | 'quiet' {
  if (status === 'ready') return 'good';
  if (status !== 'failed') return 'quiet';
  return revision > 0 ? 'warn' : 'bad';
}

/** The content of a failed file or text is gone: only a page can be fetched again, or what is still searched be split again. */
export function repetitionOf({
  type,
  status,
  error,
  revision,
}: Pick<Document, 'type' | 'status' | 'error' | 'revision'>) {
  if (status === 'failed') return type === 'url' || (error?.retryable === true && revision > 0) ? 'retry' : null;
  return status === 'ready' && type === 'url' ? 'refresh' : null;
}

/** The groups of a text: one per line, its terms separated by commas. A line with fewer than two terms is no group. */
export function synonymsIn(text: string): string[][] {
  return text
    .split('\n')
    .map((line) => [
      ...new Set(
        line
          .split(/[,、，]/)
          .map((term) => term.trim())
          .filter((term) => term !== ''),
      ),
    ])
    .filter((group) => group.length > 1);
}

export function synonymText(groups: readonly (readonly string[])[]): string {
  return groups.map((group) => group.join(', ')).join('\n');
}

/** Whether it is the address of a page, as far as the browser can tell. */
export function isPageUrl(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}
