/** `file` without its extension. From the source in a checkout, compiled in an installed package. */
export function programFile(file: string, importer: string): URL {
  return new URL(`${file}${importer.endsWith('.ts') ? '.ts' : '.js'}`, importer);
}
