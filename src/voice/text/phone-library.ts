import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** Loaded for the first number that needs it: the numbering plans take 5 MB. */
export function phoneLibrary(): typeof import('libphonenumber-js') {
  return require('libphonenumber-js');
}
