import { buildAsyncApi } from '../../contract/documents/asyncapi.ts';

// biome-ignore lint/suspicious/noExplicitAny: a document is walked as it comes.
type Json = Record<string, any>;

/** The AsyncAPI document for people: every frame with its fields, in one page without scripts. */
export function livePage(): string {
  const document = buildAsyncApi() as Json;
  const { info, channels, operations } = document;
  const sections = [operations.receive, operations.send].map(
    (operation) => `<h2>${escaped(operation.title)}</h2>\n${framesOf(operation, document)}`,
  );
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${escaped(info.title)}</title>
    <link rel="icon" href="/docs/favicon.svg" type="image/svg+xml" />
    <style>${style}</style>
  </head>
  <body>
    <main>
      <p><a href="/">Dashboard</a> · <a href="/docs/">API reference</a> · <a href="/asyncapi.json">AsyncAPI document</a></p>
      <h1>${escaped(info.title)}</h1>
      <p><code>${escaped(channels.call.address)}</code></p>
      ${paragraphs(info.description)}
      ${sections.join('\n')}
    </main>
  </body>
</html>
`;
}

const style = `
:root { color-scheme: light dark; }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 1.5rem; }
h3 { margin-top: 2rem; font-family: ui-monospace, monospace; }
code { font-family: ui-monospace, monospace; font-size: 0.9em; }
table { width: 100%; border-collapse: collapse; }
th, td { padding: 0.4rem 0.8rem 0.4rem 0; border-bottom: 1px solid color-mix(in srgb, currentColor 20%, transparent); text-align: left; vertical-align: top; }
`;

function framesOf(operation: Json, document: Json): string {
  return operation.messages
    .map(({ $ref }: { $ref: string }) => {
      const message = resolved(resolved({ $ref }, document), document);
      const payload = resolved(message.payload, document);
      return `<h3 id="${escaped($ref.split('/').at(-1) as string)}">${escaped(message.name)}</h3>
<p>${inline(message.summary)}</p>
${fieldsOf(payload, document)}`;
    })
    .join('\n');
}

function fieldsOf(payload: Json, document: Json): string {
  const rows = rowsOf(payload, document, '');
  if (rows.length === 0) return '';
  return `<table><thead><tr><th>Field</th><th>Type</th><th>Description</th></tr></thead><tbody>${rows.join('')}</tbody></table>`;
}

function rowsOf(schema: Json, document: Json, path: string): string[] {
  const required: readonly string[] = schema.required ?? [];
  return Object.entries<Json>(schema.properties ?? {}).flatMap(([name, property]) => {
    const field = { ...resolved(property, document), ...property };
    const label = `${path}${name}`;
    const optional = required.includes(name) ? '' : ', optional';
    const row = `<tr><td><code>${escaped(label)}</code></td><td>${escaped(typeOf(field))}${optional}</td><td>${inline(field.description ?? '')}</td></tr>`;
    // A call event is described with the operation that lists them.
    return [row, ...(property.$ref === undefined ? rowsOf(field, document, `${label}.`) : [])];
  });
}

function typeOf(field: Json): string {
  if (field.const !== undefined) return JSON.stringify(field.const);
  if (field.enum !== undefined) return field.enum.join(' | ');
  if (field.anyOf !== undefined) return field.anyOf.map(typeOf).join(' | ');
  return field.type ?? 'any';
}

function resolved(value: Json, document: Json): Json {
  if (typeof value.$ref !== 'string') return value;
  return value.$ref
    .slice(2)
    .split('/')
    .reduce((part: Json, name: string) => part[name], document);
}

/** The little Markdown that the descriptions use. */
function paragraphs(text: string): string {
  return text
    .split('\n\n')
    .map((block) => {
      if (block.startsWith('|')) return tableOf(block);
      return block.startsWith('- ') ? listOf(block) : `<p>${inline(block)}</p>`;
    })
    .join('\n');
}

function listOf(block: string): string {
  const items = block.split('\n').map((line) => `<li>${inline(line.slice(2))}</li>`);
  return `<ul>${items.join('')}</ul>`;
}

function tableOf(block: string): string {
  const [head = '', , ...rows] = block.split('\n');
  const cells = (line: string, tag: string) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => `<${tag}>${inline(cell.trim())}</${tag}>`)
      .join('');
  const body = rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('');
  return `<table><thead><tr>${cells(head, 'th')}</tr></thead><tbody>${body}</tbody></table>`;
}

function inline(text: string): string {
  return escaped(text)
    .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
    .replaceAll(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
