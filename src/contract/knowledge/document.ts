import { z } from 'zod';
import { metadata } from '../calls/values.ts';
import { text } from '../text.ts';
import { chunkId, count, documentId, knowledgeBaseId, name, time, timeExample } from './values.ts';

export const maxFileBytes = 25 * 1024 * 1024;
export const maxTextCharacters = 300_000;
export const maxUrlCharacters = 2048;

export const documentTypes = ['text', 'file', 'url'] as const;
export type DocumentType = (typeof documentTypes)[number];

export const documentStatuses = [
  'uploading',
  'queued',
  'fetching',
  'extracting',
  'indexing',
  'ready',
  'failed',
] as const;
export type DocumentStatus = (typeof documentStatuses)[number];

export const documentErrorCodes = [
  'unsupported_type',
  'type_mismatch',
  'too_large',
  'limit_reached',
  'encrypted',
  'corrupt',
  'no_text_found',
  'upload_expired',
  'fetch_failed',
  'address_not_allowed',
  'timeout',
  'internal',
] as const;
export type DocumentErrorCode = (typeof documentErrorCodes)[number];

export const documentWarningCodes = [
  'pages_without_text',
  'hidden_text_removed',
  'truncated_table',
  'encoding_guessed',
] as const;
export type DocumentWarningCode = (typeof documentWarningCodes)[number];

const message = z.string().max(500);

export const documentError = z
  .strictObject({
    code: z.enum(documentErrorCodes).meta({
      description:
        '`unsupported_type`: the bytes are of no supported type. `type_mismatch`: they are of another type than the name claims. `too_large`: it exceeds a limit for documents. `limit_reached`: it does not fit into the knowledge base. `encrypted`: it needs a password. `corrupt`: the file is broken. `no_text_found`: a scan, or a page that only a script fills. `upload_expired`: no bytes arrived within 24 hours. `fetch_failed`: the address could not be read. `address_not_allowed`: it is not a public address. `timeout`: it took too long. `internal`: the service failed.',
      examples: ['no_text_found'],
    }),
    message: message.meta({ description: 'The same in words.', examples: ['The file contains no text.'] }),
    retryable: z.boolean().meta({ description: 'Whether the same content may work later.', examples: [false] }),
  })
  .meta({ id: 'DocumentError', description: 'Why the newest work on a document failed.' });

export type DocumentError = z.infer<typeof documentError>;

const warning = z
  .strictObject({
    code: z.enum(documentWarningCodes).meta({
      description:
        '`pages_without_text`: some pages have no text. `hidden_text_removed`: text that readers cannot see was left out. `truncated_table`: a table was too wide. `encoding_guessed`: nothing states the encoding.',
      examples: ['pages_without_text'],
    }),
    message: message.meta({ description: 'The same in words.', examples: ['2 of 14 pages have no text.'] }),
  })
  .meta({ id: 'DocumentWarning', description: 'Something that may be missing.' });

export type DocumentWarning = z.infer<typeof warning>;

const refreshEveryHours = z
  .int()
  .min(1)
  .max(720)
  .nullable()
  .meta({
    description: 'For a URL: how often it is fetched again, in hours. Null: only on request.',
    examples: [null],
  });

const upload = z
  .strictObject({
    url: z
      .string()
      .max(4096)
      .meta({
        description: 'Send the bytes here by `PUT`, without an API key.',
        examples: ['/media/v1/WyJ1cGxvYWQiXQ.c2lnbmF0dXJl'],
      }),
    expiresAt: time.meta({ description: 'When the URL expires.', examples: ['2026-11-18T10:30:00.000Z'] }),
  })
  .meta({ id: 'DocumentUpload', description: 'Where the bytes of a file are expected.' });

const optionalTime = (description: string) => time.nullable().meta({ description, examples: [timeExample] });

export const document = z
  .strictObject({
    id: documentId.max(64),
    knowledgeBaseId: knowledgeBaseId.max(64),
    name: name.meta({ description: 'The name of the document. It is searched too.', examples: ['返品について'] }),
    type: z.enum(documentTypes).meta({ description: 'Where its content comes from.', examples: ['file'] }),
    url: z
      .string()
      .max(maxUrlCharacters)
      .nullable()
      .meta({ description: 'For type `url`.', examples: [null] }),
    refreshEveryHours,
    lastFetchedAt: optionalTime('When the URL was last read successfully.').meta({ examples: [null] }),
    nextRefreshAt: optionalTime('When the URL will be fetched again.').meta({ examples: [null] }),
    staleSince: optionalTime('The first failed refresh since the last success.').meta({ examples: [null] }),
    status: z.enum(documentStatuses).meta({
      description:
        'The newest work on the document. `failed` with a `revision` above 0: the newest content failed, and that revision is still searched.',
      examples: ['ready'],
    }),
    error: documentError.nullable().meta({ description: 'Why that work failed.', examples: [null] }),
    revision: count.meta({ description: 'What search serves now. 0: nothing yet.', examples: [1] }),
    warnings: z.array(warning).meta({ description: 'What may be missing.', examples: [[]] }),
    mimeType: z
      .string()
      .max(255)
      .nullable()
      .meta({ description: 'The type of the content, decided by its bytes.', examples: ['application/pdf'] }),
    contentSha256: z
      .string()
      .max(64)
      .nullable()
      .meta({
        description: 'The digest of the source, in hexadecimal. The same content again changes nothing.',
        examples: ['2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae'],
      }),
    sizeBytes: count.nullable().meta({ description: 'The size of the source, in bytes.', examples: [48_120] }),
    characterCount: count.nullable().meta({ description: 'The length of the extracted text.', examples: [9120] }),
    pageCount: count.nullable().meta({ description: 'How many pages it has, if it has pages.', examples: [14] }),
    chunkCount: count.nullable().meta({ description: 'How many chunks it has.', examples: [17] }),
    metadata: z
      .record(z.string(), z.unknown())
      .meta({ description: 'Your own data. Search does not read it.', examples: [{ shop: 'ginza' }] }),
    upload: upload.nullable().meta({
      description: 'Only in the response that asks for the bytes of a file; null everywhere else.',
      examples: [null],
    }),
    createdAt: time.meta({ description: 'When it was created.', examples: [timeExample] }),
    updatedAt: time.meta({ description: 'When it was last changed by a request.', examples: [timeExample] }),
    readyAt: optionalTime('When the served revision became searchable.'),
  })
  .meta({ id: 'Document', description: 'A document of a knowledge base.' });

export type Document = z.infer<typeof document>;

const file = z
  .object({
    name: name.meta({ description: 'The name of the file.', examples: ['faq.pdf'] }),
    sizeBytes: z
      .int()
      .min(0)
      .max(maxFileBytes, `must be at most ${maxFileBytes} (25 MiB)`)
      .meta({ description: 'The size of the file, in bytes. At most 25 MiB.', examples: [48_120] }),
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits in lower case')
      .optional()
      .meta({
        description: 'The SHA-256 digest of the file, in hexadecimal. If given, the upload is checked against it.',
        examples: ['2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae'],
      }),
  })
  .meta({ id: 'DocumentFile', description: 'A file that will be uploaded.' });

const content = {
  text: text({ min: 1, max: maxTextCharacters })
    .optional()
    .meta({ description: 'The text itself, as Markdown.', examples: ['# 返品\n\n30日以内に返品できます。'] }),
  url: text({ min: 1, max: maxUrlCharacters })
    .optional()
    .meta({ description: 'The address of a page or file to fetch.', examples: ['https://shop.example.com/faq'] }),
  file: file.optional(),
};

export const createDocumentBody = z
  .object({
    name: name.optional().meta({
      description:
        'The name of the document. Required for `text`; else by default the file’s name or the page’s title.',
      examples: ['返品について'],
    }),
    metadata: metadata.default({}).meta({
      description: 'Your own data. Up to 50 keys and 8 KiB as JSON. Search does not read it.',
      examples: [{ shop: 'ginza' }],
    }),
    refreshEveryHours: refreshEveryHours.default(null),
    ...content,
  })
  .superRefine((body, context) => {
    const given = documentTypes.filter((type) => body[type] !== undefined);
    if (given.length !== 1) context.addIssue({ code: 'custom', message: 'give exactly one of text, url and file' });
    if (given[0] === 'text' && given.length === 1 && body.name === undefined) {
      context.addIssue({ code: 'custom', path: ['name'], message: 'is required for text' });
    }
    if (body.refreshEveryHours !== null && body.url === undefined) {
      context.addIssue({ code: 'custom', path: ['refreshEveryHours'], message: 'is for documents with a url only' });
    }
  })
  .meta({ id: 'CreateDocument', description: 'A new document: exactly one of `text`, `url` and `file`.' });

export const updateDocumentBody = z
  .object({
    name: name.optional().meta({ description: 'The name of the document.', examples: ['返品について'] }),
    metadata: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({
        description: 'Merged into the current metadata; null removes a key. Up to 50 keys and 8 KiB afterwards.',
        examples: [{ shop: 'ginza' }],
      }),
    refreshEveryHours: refreshEveryHours.optional(),
    ...content,
  })
  .superRefine((body, context) => {
    if (documentTypes.filter((type) => body[type] !== undefined).length > 1) {
      context.addIssue({ code: 'custom', message: 'give at most one of text, url and file' });
    }
  })
  .meta({
    id: 'UpdateDocument',
    description: 'The fields to change. New content must be of the type that the document has.',
  });

export type NewDocumentFields = z.output<typeof createDocumentBody>;
export type DocumentChanges = z.output<typeof updateDocumentBody>;

export const chunk = z
  .strictObject({
    id: chunkId.max(64),
    documentId: documentId.max(64),
    documentRevision: count.meta({ description: 'The revision of the document.', examples: [1] }),
    index: count.meta({ description: 'Its place in the document, from 0.', examples: [3] }),
    headingPath: z
      .array(z.string())
      .meta({ description: 'The headings above it, outermost first.', examples: [['ご利用案内', '返品']] }),
    page: z
      .int()
      .min(1)
      .nullable()
      .meta({ description: 'The page, from 1, if there are pages.', examples: [null] }),
    start: count.meta({ description: 'Where it starts in the extracted text, in UTF-16 units.', examples: [1204] }),
    end: count.meta({ description: 'Where it ends.', examples: [1391] }),
    text: z.string().meta({ description: 'The text.', examples: ['未使用の商品は30日以内に返品できます。'] }),
  })
  .meta({ id: 'Chunk', description: 'A part of a document, as search finds it.' });

export type Chunk = z.infer<typeof chunk>;
