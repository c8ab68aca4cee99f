import { defineContract } from '../area.ts';
import {
  createKnowledgeBase,
  deleteKnowledgeBase,
  evaluateKnowledgeBase,
  findPages,
  getKnowledgeBase,
  getKnowledgeChunk,
  listKnowledgeBases,
  searchKnowledgeBase,
  updateKnowledgeBase,
} from './base-operations.ts';
import {
  createDocument,
  deleteDocument,
  getDocument,
  listChunks,
  listDocuments,
  refreshDocument,
  updateDocument,
} from './document-operations.ts';
import { knowledgeScopes } from './scopes.ts';

export const knowledgeContract = defineContract({
  tag: { name: 'Knowledge', description: 'Knowledge bases and their documents, which agents look things up in.' },
  idPrefixes: ['kb', 'doc', 'chk'],
  scopes: knowledgeScopes,
  operations: [
    createKnowledgeBase,
    listKnowledgeBases,
    getKnowledgeBase,
    updateKnowledgeBase,
    deleteKnowledgeBase,
    searchKnowledgeBase,
    evaluateKnowledgeBase,
    getKnowledgeChunk,
    findPages,
    createDocument,
    listDocuments,
    getDocument,
    updateDocument,
    deleteDocument,
    refreshDocument,
    listChunks,
  ],
});
