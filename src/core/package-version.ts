import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';

/** The version of this package, from its package.json: the compiled file is one directory deeper than the source. */
export function packageVersion(): string {
  return JSON.parse(readFileSync(findPackageJSON(import.meta.url) as string, 'utf8')).version;
}
