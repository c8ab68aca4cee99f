import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Break } from './break.ts';
import { checkSyntax, type Declaration, declarationsIn, type Span, statementAround } from './declarations.ts';

interface Place extends Span {
  readonly file: string;
}

/** Changes one source file below `root`. */
export function applyBreak(fault: Break, root: string): void {
  const { file, text } = brokenSource(fault, root, declarationsIn(root));
  writeFileSync(join(root, file), text);
}

/** The changed source file; throws if the fault does not name exactly one place, or if the result is not valid. */
export function brokenSource(
  fault: Break,
  root: string,
  declarations: readonly Declaration[],
): { readonly file: string; readonly text: string } {
  const scopes = declarationsFor(fault, declarations);
  const place = onlyPlace(fault, root, scopes, 'replace' in fault ? fault.replace : fault.statement);
  const { file } = place;
  const source = readFileSync(join(root, file), 'utf8');
  const text = 'replace' in fault ? spliced(source, place, fault.with) : withoutStatement();
  if (text === source) throw new Error(`${fault.about}: nothing is changed`);
  checkSyntax(file, text);
  return { file, text };

  function withoutStatement(): string {
    const { after, with: replacement } = fault as Extract<Break, { statement: string }>;
    const statement = statementAround(file, source, place);
    if (after === undefined) return spliced(source, statement, replacement ?? '{}');
    const moved = replacement ?? source.slice(statement.start, statement.end);
    const { end } = statementAround(file, source, onlyPlace(fault, root, scopes, after));
    return spliced(spliced(source, { start: end, end }, `\n${moved}`), statement, '');
  }
}

function declarationsFor(fault: Break, declarations: readonly Declaration[]): Declaration[] {
  const named = declarations.filter(({ path }) => `.${path.join('.')}`.endsWith(`.${fault.in}`));
  if (named.length === 0) throw new Error(`${fault.about}: nothing is called ${fault.in}`);
  // A local variable may have the name of the function around it.
  return named.filter((inner) => !named.some((outer) => outer !== inner && contains(outer, inner)));
}

function contains(outer: Place, inner: Place): boolean {
  return outer.file === inner.file && outer.start <= inner.start && outer.end >= inner.end;
}

/** Where the text occurs in the declarations. White space makes no difference. */
function onlyPlace(fault: Break, root: string, scopes: readonly Declaration[], text: string): Place {
  const pattern = new RegExp(text.split(/\s+/).map(RegExp.escape).join('\\s*'), 'g');
  const places = scopes.flatMap(({ file, start, end }) => {
    const matches = readFileSync(join(root, file), 'utf8').slice(start, end).matchAll(pattern);
    return [...matches].map((match) => ({
      file,
      start: start + match.index,
      end: start + match.index + match[0].length,
    }));
  });
  const [place] = places;
  if (place !== undefined && places.length === 1) return place;
  const files = places.map(({ file }) => file).join(', ');
  throw new Error(`${fault.about}: ${fault.in} has ${places.length} of this, expected one: ${text} (${files})`);
}

function spliced(source: string, { start, end }: Span, text: string): string {
  return source.slice(0, start) + text + source.slice(end);
}
