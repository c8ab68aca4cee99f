import { z } from 'zod';
import { text } from '../text.ts';

/** What knowledge bases, documents and chunks have in common. */
export const none = z.object({});

export const baseExample = 'kb_01m7f8q1h60000t2v9b4k8n3d5wxr7';
export const documentExample = 'doc_01m7f8q4s80000h6m1p3c7f2j9zgy5';
export const chunkExample = 'chk_01m7f8q7k20000w4r8d6t1n5v3bqc9';

export const knowledgeBaseId = z
  .string()
  .meta({ description: 'The id of the knowledge base.', examples: [baseExample] });
export const documentId = z.string().meta({ description: 'The id of the document.', examples: [documentExample] });
export const chunkId = z.string().meta({ description: 'The id of the chunk.', examples: [chunkExample] });

export const workspaceId = z
  .string()
  .max(64)
  .meta({ description: 'The workspace.', examples: ['ws_01m7f8nje00000m9s346q3d25vt4f5'] });

export const time = z.iso.datetime();
export const timeExample = '2026-11-18T09:30:00.000Z';

export const name = text({ min: 1, max: 255 });

export const deleted = z.literal(true).meta({ description: 'Always true.', examples: [true] });

export const count = z.int().min(0);

/** The size of a page, and what a person can read at once. */
export const searchText = text({ min: 1, max: 500 });
