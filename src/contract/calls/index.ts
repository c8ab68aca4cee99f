import { defineContract } from '../area.ts';
import {
  controlCall,
  createCall,
  deleteCall,
  endCall,
  getCall,
  getConcurrency,
  listCalls,
  redactCall,
  searchCalls,
  updateCall,
} from './call-operations.ts';
import {
  createMessage,
  createToken,
  getCallSkill,
  getRecording,
  getTranscript,
  listCallEvents,
} from './conversation-operations.ts';
import { callScopes } from './scopes.ts';

export const callsContract = defineContract({
  tag: {
    name: 'Calls',
    description: 'Conversations with agents: in writing, or spoken in a browser.',
  },
  idPrefixes: ['call', 'cev', 'tcl'],
  scopes: callScopes,
  operations: [
    createCall,
    listCalls,
    searchCalls,
    getCall,
    updateCall,
    deleteCall,
    redactCall,
    endCall,
    controlCall,
    createMessage,
    listCallEvents,
    getTranscript,
    getCallSkill,
    getRecording,
    createToken,
    getConcurrency,
  ],
});
