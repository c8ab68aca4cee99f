import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'vite';

/** A named piece of source: a function, a class or a method, or a constant or property with its value. */
export interface Declaration {
  readonly file: string;
  /** Its own name and those of the declarations around it, such as `['createQueue', 'add']`. */
  readonly path: readonly string[];
  readonly start: number;
  readonly end: number;
}

export interface Span {
  readonly start: number;
  readonly end: number;
}

interface Node extends Span {
  readonly type: string;
}

/** Every declaration in `src`. */
export function declarationsIn(root: string): Declaration[] {
  return globSync('src/**/*.ts', { cwd: root }).flatMap((file) =>
    declarationsOf(file, readFileSync(join(root, file), 'utf8')),
  );
}

function declarationsOf(file: string, source: string): Declaration[] {
  const found: Declaration[] = [];
  visit(parsed(file, source), (node, path) => {
    if (nameOf(node) !== null) found.push({ file, path, start: node.start, end: node.end });
  });
  return found;
}

/** The smallest statement that contains the span. */
export function statementAround(file: string, source: string, { start, end }: Span): Span {
  let smallest: Node | null = null;
  visit(parsed(file, source), (node) => {
    const isStatement = /(Statement|Declaration)$/.test(node.type) && node.type !== 'BlockStatement';
    if (isStatement && node.start <= start && node.end >= end) smallest = node;
  });
  if (smallest === null) throw new Error(`${file} has no statement around ${start}`);
  return smallest;
}

/** Throws if the text is not valid TypeScript. */
export function checkSyntax(file: string, source: string): void {
  parse(file, source);
}

function parsed(file: string, source: string): Node {
  return parse(file, source).program;
}

/** Its tree is only made when it is read, which takes longer than parsing. */
function parse(file: string, source: string): ReturnType<typeof parseSync> {
  const result = parseSync(file, source);
  const { errors } = result;
  if (errors.length > 0) throw new Error(`${file}: ${errors.map(({ message }) => message).join(', ')}`);
  return result;
}

function visit(node: Node, see: (node: Node, path: readonly string[]) => void, outer: readonly string[] = []): void {
  // What a pattern takes apart is declared elsewhere.
  if (node.type === 'ObjectPattern') return;
  const name = nameOf(node);
  const path = name === null ? outer : [...outer, name];
  see(node, path);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child, see, path);
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

const namedBy: Readonly<Record<string, 'id' | 'key'>> = {
  FunctionDeclaration: 'id',
  ClassDeclaration: 'id',
  VariableDeclarator: 'id',
  MethodDefinition: 'key',
  PropertyDefinition: 'key',
  Property: 'key',
};

/** The name as it is written, with the `#` of private methods; null if the node declares nothing. */
function nameOf(node: Node & Partial<Record<'id' | 'key', unknown>>): string | null {
  if ('shorthand' in node && node.shorthand === true) return null;
  const place = namedBy[node.type];
  const name = place === undefined ? null : (node[place] as { type: string; name?: string; value?: unknown } | null);
  if (name?.type === 'Literal') return String(name.value);
  if (name?.name === undefined) return null;
  return name.type === 'PrivateIdentifier' ? `#${name.name}` : name.name;
}
