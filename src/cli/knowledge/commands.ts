import { InvalidArgumentError, Option } from 'commander';
import { connectionOptions, type Declaration, jsonOption, lazily } from '../declaration.ts';
import { exitCodeHelp } from '../failures.ts';
import type { Action } from '../resources/action.ts';

/** Besides list, get and delete. */
export const knowledgeCommands: readonly (Declaration | Action)[] = [
  {
    name: 'knowledge',
    description: 'create knowledge bases, add documents to them, search and evaluate them',
    about: `All commands operate on the workspace of the API key. See docs/knowledge.md.

Examples:
  voice-agents knowledge create "Shop FAQ" --language en
  voice-agents knowledge add "Shop FAQ" ./faq --recursive
  voice-agents knowledge search "Shop FAQ" "can I return a book"
  voice-agents knowledge evaluate "Shop FAQ" questions.csv --min-hit-rate 0.85
  voice-agents documents list kb_…
${exitCodeHelp}`,
  },
  {
    name: 'knowledge create <name>',
    description: 'create an empty knowledge base',
    options: [
      ['--language <tag>', 'the language of its documents (default: ja)'],
      ['--description <text>', 'what it is about'],
      ['--chunk-size <characters>', 'the maximum length of a chunk (default: 600)', Number],
      ['--no-embeddings', 'never send its texts to the embeddings provider'],
    ],
    examples: ['"Shop FAQ" --language en'],
    body: ({ language, description, chunkSize, embeddings }) => ({
      language,
      description,
      chunkSize,
      ...(embeddings === false && { useEmbeddings: false }),
    }),
    send: ({ knowledgeBases }, [name], body, options) => knowledgeBases.create({ ...body, name }, options),
    note: ({ id }) => `Add documents with "voice-agents knowledge add ${id} FILE".\n`,
  },
  {
    name: 'knowledge add <base> <sources...>',
    description: 'add files, folders and web pages, and wait until they can be searched',
    options: [
      ['--recursive', 'also the files in the folders of a folder'],
      ['--site', 'all pages that the website of an address lists, up to 500'],
      ['--refresh-every <hours>', 'fetch web pages again at this interval', Number],
      ['--json', 'print the documents as JSON, one per line'],
      ...connectionOptions,
    ],
    about: `The base is an id or a name. Of a folder, the files of known types are added: txt,
md, html, pdf, docx and csv. A file whose name the base already has replaces that
document, and a page that it already has is fetched again. The exit code is 1 if a
document failed; the others can be searched.`,
    examples: ['"Shop FAQ" returns.pdf', '"Shop FAQ" ./faq --recursive', 'kb_… https://shop.example.com/ --site'],
    run: lazily(() => import('./add.ts'), 'addDocuments'),
  },
  {
    name: 'knowledge search <base> <query>',
    description: 'find the chunks that match a query best, with their scores',
    options: [
      ['--limit <number>', 'maximum number of results', Number],
      new Option('--mode <mode>', 'how to search (default: what is available)').choices(['lexical', 'hybrid']),
      ['--min-score <number>', 'the lowest lexical score of a result', Number],
      jsonOption,
      ...connectionOptions,
    ],
    examples: ['"Shop FAQ" "can I return a book"', 'kb_… 返品 --limit 3'],
    run: lazily(() => import('./search.ts'), 'searchBase'),
  },
  {
    name: 'knowledge evaluate [base] [questions]',
    description: 'measure how often the right document is found for the questions of a CSV file',
    options: [
      ['--limit <number>', 'how many results are looked at (default: 3)', Number],
      ['--min-score <number>', 'the lowest score of a hit', Number],
      ['--min-hit-rate <number>', 'exit with 1 if fewer questions are answered, from 0 to 1', share],
      ['--from-calls <period>', 'write the questions of calls that found nothing, such as 7d, as a CSV file'],
      jsonOption,
      ...connectionOptions,
    ],
    about: `The file has the columns query and expected, and may have the column contains:
expected is the id or name of a document, or several separated by "|"; contains is a
text of the right chunk. Shows each question whose document was not found, and why.

--from-calls 7d reads the calls of the last 7 days (or hours: 12h) and prints what
callers asked when nothing was found, with an empty column expected. It reads the
transcripts, so it needs the scope calls:read.`,
    examples: ['"Shop FAQ" questions.csv', 'kb_… questions.csv --min-hit-rate 0.85', '--from-calls 7d'],
    run: lazily(() => import('./evaluate.ts'), 'evaluateBase'),
  },
];

function share(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value >= 0 && value <= 1) return value;
  throw new InvalidArgumentError('Must be a number from 0 to 1.');
}
