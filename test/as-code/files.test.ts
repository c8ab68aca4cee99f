import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { parse } from 'yaml';
import { readAgentFile } from '../../src/cli/as-code/agent-file.ts';
import { patchBetween } from '../../src/cli/as-code/changes.ts';
import { type Content, contentOf, contentOfFile, fieldNames, shortened } from '../../src/cli/as-code/content.ts';
import { type Format, writeText } from '../../src/cli/as-code/document.ts';
import { changedLines, describeChange } from '../../src/cli/as-code/field-lines.ts';
import { baseNameOf, nameKey, newFileNames } from '../../src/cli/as-code/file-names.ts';
import { isPlainName } from '../../src/cli/as-code/folder.ts';
import { followRenamedFiles } from '../../src/cli/as-code/plan.ts';
import type { SeenAgent } from '../../src/cli/as-code/workspace.ts';
import { mergePatch } from '../../src/core/merge-patch.ts';
import { anyCharacter } from '../support/any-character.ts';
import { seed } from '../support/seed.ts';

const folder = mkdtempSync(join(tmpdir(), 'voice-agents-files-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Through a real file, like the commands. */
function written(content: Content, format: Format, isFull = false): string {
  const file = join(folder, `agent.${format}`);
  writeFileSync(file, writeText(isFull ? content : shortened(content), format));
  return file;
}

function readBack(file: string, format: Format): Content {
  const { content, issues } = readAgentFile(basename(file), readFileSync(file), format);
  assert.deepEqual(issues, []);
  return content as Content;
}

const minimal: Content = contentOf({
  name: 'a',
  voiceId: 'v',
  responseEngine: { type: 'conversation_flow', model: 'gpt-5.4-mini' },
} as never);

const defaults = readBack(written(minimal, 'json'), 'json');

/** Everything that a format, an editor or a writer could misinterpret. */
const awkward = [
  ...[
    'no',
    'yes',
    'on',
    'off',
    'y',
    'null',
    '~',
    'true',
    'Null',
    '',
    ' ',
    '-',
    '?',
    ':',
    '#',
    '---',
    '...',
    '<<',
    '=',
    '!',
  ],
  ...['1e3', '0x1f', '0o17', '017', '1_000', '12:30:45', '.inf', '.nan', '-0', '2026-11-15', '2026-11-15T09:30:00Z'],
  ...[
    '- a',
    'a: b',
    'a #b',
    '&a',
    '*a',
    '!!binary x',
    '%YAML 1.1',
    '@a',
    '`a`',
    '"a"',
    "'a'",
    '{a}',
    '[a',
    'a]',
    '|',
    '>',
  ],
  ...[
    'a\n',
    '\na',
    'a\n\n',
    '\n',
    '\n\n',
    ' a\nb',
    'a \nb ',
    'a\n b\n  c',
    '\ta\n\tb',
    'a\r\nb\r\n',
    'a\rb',
    'a\n ',
    'a\n\t',
  ],
  ...[
    '---\na\n...\n',
    'a\n--- b\nc',
    '# a\n# b',
    ' \n a',
    '  \n\n',
    'a\u0085b',
    'a\u2028b\u2029c',
    '\ufeffa',
    'a\u202eb\u2066c',
  ],
  ...[
    '予約を承ります。\nお電話ありがとうございます。\n',
    '👩‍👩‍👧‍👦🇯🇵',
    'e\u0301',
    '\u001b[31mred\u001b[0m',
    '\u007f\u009b',
    '\\n',
    '\\u0041',
  ],
  ...['x'.repeat(2000), `${'long line '.repeat(100)}\n${'y'.repeat(300)}  \n`, 'a\n'.repeat(300)],
];
const anyText = fc.oneof(
  fc.constantFrom(...awkward),
  fc
    .array(fc.constantFrom(...awkward, '\n', ' ', '\t', ': ', ' #', '\r\n'), { maxLength: 6 })
    .map((parts) => parts.join('')),
  fc.string({ unit: anyCharacter, maxLength: 60 }).map((text) => text.replaceAll('\0', '')),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
);
const notEmpty = anyText.map((text) => [...(text === '' ? 'x' : text)].slice(0, 200).join(''));
const anyJson = fc.jsonValue({ maxDepth: 4, stringUnit: 'grapheme' }).map((value) => JSON.parse(JSON.stringify(value)));
const anyContent: fc.Arbitrary<Content> = fc
  .record(
    {
      name: notEmpty,
      voiceId: notEmpty,
      responseEngine: fc.record(
        {
          type: fc.constantFrom('single_prompt', 'conversation_flow', 'custom_llm'),
          prompt: anyText,
          model: fc.oneof(
            fc.constant('gpt-5.4-mini'),
            anyText.map((text) => text.slice(0, 100)),
            fc.constant(null),
          ),
        },
        { requiredKeys: ['type', 'model'] },
      ),
      beginMessage: fc.oneof(anyText, fc.constant(null)),
      language: fc.constantFrom('ja', 'no', 'en'),
      voiceSpeed: fc.constantFrom(1, 0.5, 1.25, 2),
      voiceModel: fc.oneof(fc.constant(null), notEmpty),
      reminderTriggerMs: fc.constantFrom(10_000, 1000, 1000.5),
      enableBackchannel: fc.boolean(),
      backchannelWords: fc.array(
        notEmpty.map((text) => [...text].slice(0, 100).join('')),
        { maxLength: 3 },
      ),
      webhookEvents: fc.constantFrom(['call_started', 'call_ended', 'call_analyzed'], [], ['call_ended']),
      pronunciationDictionary: fc.array(
        fc.record({ find: notEmpty, replace: anyText.map((text) => text.slice(0, 500)) }),
        { maxLength: 2 },
      ),
      postCallAnalysisData: fc.constantFrom(
        [],
        [{ name: 'no', type: 'enum', description: 'a\nb', options: ['yes', 'no'] }],
      ),
      agentGlobalPrompt: anyText,
      agentVariables: fc.array(anyJson, { maxLength: 3 }),
      agentSettings: fc.oneof(
        fc.dictionary(anyText, anyJson, { maxKeys: 4 }),
        anyJson.filter((value) => value !== null),
      ),
    },
    { requiredKeys: ['name', 'voiceId', 'responseEngine'] },
  )
  .map((fields) => contentOf(JSON.parse(JSON.stringify({ ...defaults, ...fields }))));

describe('an agent file', () => {
  it('is read back as it was written, for any text, short or full', () => {
    const property = fc.property(
      anyContent,
      fc.constantFrom<Format>('yaml', 'json'),
      fc.boolean(),
      (content, format, isFull) => {
        const file = written(content, format, isFull);
        assert.deepEqual(readBack(file, format), content);
        assert.equal(JSON.stringify(Object.keys(readBack(file, format))), JSON.stringify(Object.keys(content)));
        // The same agent produces the same bytes.
        assert.equal(writeText(isFull ? content : shortened(content), format), readFileSync(file, 'utf8'));
      },
    );
    fc.assert(property, { seed, numRuns: 150 });
    for (const text of awkward) {
      const content = {
        ...minimal,
        ...defaults,
        name: text === '' ? 'x' : text.slice(0, 200),
        agentGlobalPrompt: text,
      };
      assert.deepEqual(readBack(written(content, 'yaml'), 'yaml').agentGlobalPrompt, text);
    }
  });

  it('has the same content if a tool has changed its line endings', () => {
    const prompt = 'one\n\n  two \nthree\n';
    const content = { ...defaults, agentGlobalPrompt: prompt };
    const file = written(content, 'yaml');
    const before = readAgentFile('a', readFileSync(file), 'yaml');
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('\n', '\r\n'));
    assert.deepEqual(readAgentFile('a', readFileSync(file), 'yaml'), before);
  });

  it('has the same content for a YAML 1.1 parser', () => {
    for (const text of awkward) {
      const content = { ...minimal, agentGlobalPrompt: text };
      const value = parse(writeText(shortened(content), 'yaml'), { version: '1.1' });
      assert.equal(value.agentGlobalPrompt, text);
    }
  });

  it('has multi-line prompts as literal blocks', () => {
    const prompt = `First line: "quoted"\n  indented, with a trailing space \n\n# not a comment\n${'long '.repeat(60)}\n`;
    const content = { ...minimal, responseEngine: { type: 'single_prompt', prompt, model: 'gpt-5.4-mini' } };
    const block = prompt.replaceAll(/^(?=.)/gm, '    ');
    assert.equal(
      writeText(shortened(content as Content), 'yaml'),
      `name: a\nresponseEngine:\n  type: single_prompt\n  prompt: |\n${block}voiceId: v\n`,
    );
  });

  it('has single-line texts on one line, however long', () => {
    const prompt = 'You answer the phone kindly. '.repeat(50).trim();
    const text = writeText(shortened({ ...minimal, agentGlobalPrompt: prompt }), 'yaml');
    assert.equal(text, `name: a\nvoiceId: v\nagentGlobalPrompt: ${prompt}\n`);
  });

  it('omits defaults, and omitted fields have their defaults', () => {
    const whole = defaults;
    const text = writeText(shortened(whole as Content), 'yaml');
    assert.equal(text, 'name: a\nvoiceId: v\n');
    const full = parse(writeText(whole, 'yaml'));
    assert.deepEqual(
      Object.keys(full),
      fieldNames.filter((name) => name in full),
    );
    assert.ok(Object.keys(full).length > 30);
    assert.deepEqual(contentOfFile(whole), whole);
    // An agent without a model differs from one with the default model.
    const without = contentOf({ ...whole, responseEngine: { type: 'custom_llm' } } as never);
    assert.match(writeText(shortened(without), 'yaml'), /responseEngine:\n {2}type: custom_llm\n {2}model: null\n/);
  });

  it('has flows and tools as lines, not as JSON', () => {
    const text = readFileSync('examples/salon/agent.yaml', 'utf8');
    const { content } = readAgentFile('agent.yaml', Buffer.from(text), 'yaml');
    assert.ok(content);
    assert.match(text, /^agentSettings:\n {2}tools:\n {4}- name: book\n[\s\S]*^ {2}flow:\n {4}skills:\n/m);
    const file = written(content, 'yaml');
    assert.equal(readFileSync(file, 'utf8'), text);
    assert.deepEqual(readBack(file, 'yaml'), content);
  });

  it('shows invisible characters as escapes', () => {
    const text = writeText(shortened({ ...minimal, name: 'a\u202eb\u2028c\ufeff' }), 'yaml');
    assert.equal(text, 'name: "a\\u202eb\\u2028c\\ufeff"\nvoiceId: v\n');
  });

  it('is rejected with all issues, each with its line', () => {
    const issuesOf = (text: string | Buffer, format: Format = 'yaml') =>
      readAgentFile('a', Buffer.from(text as string), format).issues.map(
        ({ line, field, message }) => `${line} ${field} ${message}`,
      );
    assert.deepEqual(issuesOf('name: a\nvoiceID: v\nvoiceSpeed: fast\nprompt: x\nid: agt_1\n'), [
      '1 voiceId is required',
      '3 voiceSpeed must be a number',
      '2 voiceID is not a known field: did you mean voiceId?',
      '4 prompt is not a known field: use responseEngine.prompt',
      '5 id is not allowed in files: it is read-only',
    ]);
    assert.deepEqual(
      issuesOf('name: a\nvoiceId: v\npostCallAnalysisData:\n  - name: x\n    type: bool\n    descripton: y\n'),
      [
        '5 postCallAnalysisData[0].type must be one of: string, enum, boolean, number',
        '4 postCallAnalysisData[0].description is required',
        '6 postCallAnalysisData[0].descripton is not a known field: did you mean description?',
      ],
    );
    assert.match(
      issuesOf('name: a\nname: b\nvoiceId: v\n')[0] ?? '',
      /^2 null is not valid YAML: Map keys must be unique/,
    );
    assert.match(issuesOf('name: "a\nvoiceId: v\n')[0] ?? '', /is not valid YAML/);
    assert.match(issuesOf('name: a\n---\nname: b\n')[0] ?? '', /is not valid YAML/);
    assert.match(issuesOf('name: !!binary aGk=\nvoiceId: v\n')[0] ?? '', /^1 null is not valid YAML: Unresolved tag/);
    assert.deepEqual(issuesOf(''), ['null null must be an object']);
    assert.deepEqual(issuesOf('name: a\nvoiceId: v\nagentSettings:\n  a: .inf\n'), [
      '4 agentSettings.a is out of range for a number',
    ]);
    assert.deepEqual(issuesOf('{\n"name": "a",\n"voiceId": 3\n}', 'json'), ['3 voiceId must be a string']);
    assert.deepEqual(issuesOf('{\n"name": "a",,\n}', 'json'), ['2 null is not valid JSON']);
    const notText = readAgentFile('a', Buffer.from([0x6e, 0xff]), 'yaml').issues;
    assert.deepEqual(notText, [{ file: 'a', line: null, field: null, message: 'is not valid UTF-8' }]);
    const deep = `name: a\nvoiceId: v\nagentSettings: ${'['.repeat(80)}${']'.repeat(80)}\n`;
    assert.match(issuesOf(deep)[0] ?? '', /nested deeper than 64 levels/);
    assert.match(
      issuesOf(`name: a\nvoiceId: v\nagentSettings: ${'x'.repeat(1_100_000)}\n`)[0] ?? '',
      /larger than 1 MiB, the maximum/,
    );
  });
});

describe('a file name', () => {
  it('stays in its folder and is valid on every system', () => {
    const names = [
      '../../etc/passwd',
      '..',
      '.',
      '',
      '/',
      'CON',
      'nul',
      'COM1',
      'a\0b',
      'a:b',
      '-rf',
      '👩‍👩‍👧‍👦'.repeat(300),
    ];
    for (const name of [...names, '予約'.repeat(200), 'é'.repeat(300), '\u202e', 'con.yaml', 'a.', 'a ', '\ud800']) {
      const base = baseNameOf(name);
      assert.match(base, /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}_-]*$/u, JSON.stringify(name));
      assert.ok(Buffer.byteLength(base) <= 106);
      assert.ok(!/^(con|nul|com1)$/i.test(base));
      assert.ok(isPlainName(`${base}.yaml`));
      assert.equal(base.normalize('NFC'), base);
    }
    assert.equal(baseNameOf('../../etc/passwd'), 'etc-passwd');
    assert.equal(baseNameOf('予約受付 (銀座)'), '予約受付-銀座');
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (name) => isPlainName(`${baseNameOf(name)}.json`)),
      { seed },
    );
  });

  it('is numbered by the order of creation if several are the same, ignoring case', () => {
    const agents = ['a', 'a-2', 'A', 'a', 'b', 'a-2'].map((name, index) => ({ id: String(index), name }));
    const names = newFileNames(agents, '.yaml', new Set(['b.yaml']));
    assert.deepEqual(
      agents.map(({ id }) => names.get(id)),
      ['a.yaml', 'a-2.yaml', 'A-3.yaml', 'a-4.yaml', 'b-2.yaml', 'a-2-2.yaml'],
    );
    assert.equal(new Set([...names.values()].map(nameKey)).size, agents.length);
  });

  it('cannot leave the folder through the state', () => {
    for (const name of ['../a.yaml', 'a/b.yaml', '..', '.hidden.yaml', 'a\\b.yaml', 'C:a.yaml', 'a.txt', '']) {
      assert.ok(!isPlainName(name), name);
    }
  });
});

describe('a renamed file', () => {
  it('is recognized by its text, or by the name of its agent', () => {
    const entry = (id: string, file: string) => ({ id, etag: '"e"', document: 'd', file, fields: {} });
    const agents = new Map([
      ['twin.yaml', entry('1', 'first')],
      ['twin-2.yaml', entry('2', 'second')],
      ['single.yaml', entry('3', 'third')],
    ]);
    const state = {
      service: 's',
      workspaceId: 'w',
      agents,
      pending: new Map(),
      numbers: new Map(),
      workflows: new Map(),
      knowledge: new Map(),
    };
    const local = (file: string, digest: string, name: string) =>
      [file, { file, digest, content: { ...minimal, name }, issues: [] }] as const;
    const files = new Map([
      local('twin-2.yaml', 'second', 'Twin'),
      local('moved.yaml', 'first', 'Twin'),
      local('edited.yaml', 'edited', 'Single'),
      local('new.yaml', 'new', 'Twin'),
    ]);
    const seen = ['Twin', 'Twin', 'Single'].map(
      (name, index) =>
        [String(index + 1), { agent: { name }, content: minimal, etag: '"e"' } as unknown as SeenAgent] as const,
    );
    followRenamedFiles(state, files, new Map(seen));
    assert.deepEqual(Object.fromEntries([...agents].map(([file, { id }]) => [file, id])), {
      'twin-2.yaml': '2',
      'moved.yaml': '1',
      'edited.yaml': '3',
    });
  });
});

describe('a change', () => {
  it('makes the agent equal to the file, or reports that it cannot', () => {
    const property = fc.property(anyContent, anyContent, (from, to) => {
      const result = patchBetween(from, to);
      if ('impossible' in result) return assert.match(result.impossible, /^agentSettings/);
      const { patch } = result;
      const nulls = Object.fromEntries(Object.entries(patch).filter(([name, value]) => value === null && name in to));
      const merged = { ...(mergePatch(from, patch) as Content), ...nulls };
      assert.deepEqual(contentOf(merged as never), to);
    });
    fc.assert(property, { seed, numRuns: 300 });
  });

  it('is shown as changed lines', () => {
    const lines = changedLines('a\nb\nc\nd\ne\nf', 'a\nb\nC\nd\ne\nf\ng').map(({ kind, text }) => `${kind} ${text}`);
    assert.deepEqual(lines, ['same b', 'removed c', 'added C', 'same d', 'same f', 'added g']);
  });

  it('of a long list is shown as the entries that differ', () => {
    const words = [
      '変更',
      '予約を変更',
      '予約の変更',
      '変更したい',
      '変更をお願い',
      'キャンセル',
      '取り消し',
      '取消',
      'ずらしたい',
    ];
    const from = [...words, ...words];
    const change = { path: ['agentSettings', 'words'], from, to: from.with(10, '日にちの変更') };
    assert.deepEqual(describeChange(change, process.stdout).map(stripVTControlCharacters), [
      'agentSettings.words:',
      '    - 変更',
      '  - - 予約を変更',
      '  + - 日にちの変更',
      '    - 予約の変更',
    ]);
  });
});
