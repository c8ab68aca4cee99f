import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface DocumentedPicture {
  readonly name: string;
  readonly colorScheme: string;
  readonly size: string;
  readonly language: string;
  /** Its name with all of them, and the extension. */
  readonly file: string;
}

/** The pictures that the documentation shows: to add one, show it there as `images/<name>-light-wide-en.webp`. */
export function documentedPictures(root: string): readonly DocumentedPicture[] {
  const texts = globSync(['README.md', 'docs/*.md'], { cwd: root }).map((file) =>
    readFileSync(join(root, file), 'utf8'),
  );
  const found = new Map<string, DocumentedPicture>();
  for (const match of texts.join('\n').matchAll(/images\/(([a-z-]+)-(light|dark)-(wide|narrow)-(en|ja)\.webp)/g)) {
    const [, file = '', name = '', colorScheme = '', size = '', language = ''] = match;
    found.set(file, { name, colorScheme, size, language, file });
  }
  return [...found.values()];
}
