import { z } from 'zod';
import { nestedFields } from '../agents/agent.ts';
import { agentVersion } from '../agents/version.ts';
import { defineContract } from '../area.ts';
import { analysis } from '../calls/analysis.ts';
import { oneCall } from '../calls/one-call.ts';
import { defineOperation } from '../operation.ts';
import { pageParameters, pageSuccess } from '../pagination.ts';
import { text } from '../text.ts';

const callId = z
  .string()
  .max(64)
  .meta({ description: 'The id of the call.', examples: ['call_01m7f8np1p0000f5kznwj47tan9zt2'] });

/** An analysis of a call with its history: the fields of `Call.analysis`, and where they come from. */
export const analysisResource = z
  .strictObject({
    id: z
      .string()
      .max(64)
      .meta({ description: 'The id of the analysis.', examples: ['ana_01m7f8ntvy0000e0zbgj09tqm83xss'] }),
    callId,
    trigger: z.enum(['call_end', 'api']).meta({
      description: '`call_end`: triggered by the end of the call. `api`: requested through the API.',
      examples: ['call_end'],
    }),
    agentVersion: z
      .int()
      .min(1)
      .meta({ description: 'The version of the agent whose settings were used.', examples: [3] }),
    createdAt: z.iso.datetime().meta({ description: 'When it was requested.', examples: ['2026-11-15T09:31:47.518Z'] }),
    ...analysis.shape,
    status: z.enum(['pending', 'completed', 'failed', 'skipped']).meta({
      description: 'The status of the analysis.',
      examples: ['completed'],
    }),
    revision: z
      .int()
      .min(0)
      .meta({ description: 'The revision it produced; 0 if it produced none.', examples: [1] }),
  })
  .meta({ id: 'Analysis', description: 'An analysis of a call.' });

export type Analysis = z.infer<typeof analysisResource>;

const body = z
  .object({
    agentVersion: agentVersion
      .unwrap()
      .optional()
      .meta({
        description:
          'The agent version whose items, model and settings to use, as it is now. Absent: the version of the call.',
        examples: [3],
      }),
    postCallAnalysisData: nestedFields(z.object, false)
      .postCallAnalysisData.superRefine((items, context) => {
        const names = new Set<string>();
        for (const [index, { name, type, options = [] }] of items.entries()) {
          if (names.has(name)) context.addIssue({ code: 'custom', path: [index, 'name'], message: 'must be unique' });
          names.add(name);
          if (type === 'enum' && options.length === 0) {
            context.addIssue({ code: 'custom', path: [index, 'options'], message: 'is required for type enum' });
          }
        }
      })
      .optional()
      .meta({
        description:
          'The values to extract, instead of those in the version. Names must be unique, and `options` is required for type `enum`.',
      }),
    model: text({ min: 1, max: 255 })
      .optional()
      .meta({ description: 'The language model, instead of the one in the version.', examples: ['gpt-5.4-mini'] }),
  })
  .meta({ id: 'AnalyzeCall', description: 'What to extract, if it differs from the version of the call.' });

export type AnalyzeCall = z.infer<typeof body>;

const bodyExample = {
  postCallAnalysisData: [{ name: 'booked', type: 'boolean', description: 'Whether the caller made a booking.' }],
};

export const runAnalysis = defineOperation({
  ...oneCall,
  id: 'calls.analysis.run',
  kind: 'change',
  method: 'POST',
  path: '/api/v1/calls/{id}/analysis',
  scope: 'calls:write',
  risk: 'sensitive',
  summary: 'Analyze a call again',
  description:
    'Requests a new analysis of a call that has ended. The call keeps its current analysis until the new one is completed. A failed run leaves it unchanged; the list of analyses shows why it failed.',
  body,
  isBodyOptional: true,
  bodyExample,
  success: {
    status: 201,
    description: 'The pending analysis.',
    body: analysisResource,
    example: { status: 'pending' },
  },
});

export const previewAnalysis = defineOperation({
  ...oneCall,
  id: 'calls.analysis.preview',
  // Stores nothing, not even its response. It waits for the model, which does not count as time of the service.
  kind: 'read',
  isLongPoll: true,
  method: 'POST',
  path: '/api/v1/calls/{id}/analysis/preview',
  scope: 'calls:write',
  rateLimit: { name: 'analysis-previews', requests: 20, windowSeconds: 60 },
  risk: 'sensitive',
  summary: 'Preview an analysis',
  description:
    'Analyzes a call that has ended and returns the result without storing it, so you can try new fields on past calls. Takes up to 50 seconds. Limited to 20 requests per minute per API key.',
  body,
  isBodyOptional: true,
  bodyExample,
  success: { status: 200, description: 'The analysis.', body: analysis, example: { status: 'completed' } },
});

export const listAnalyses = defineOperation({
  ...oneCall,
  id: 'calls.analysis.list',
  kind: 'read',
  method: 'GET',
  path: '/api/v1/calls/{id}/analyses',
  scope: 'calls:read',
  risk: 'sensitive',
  summary: 'List the analyses of a call',
  description: 'Returns all analyses of a call, newest first, including failed, skipped and pending ones.',
  query: z.object(pageParameters),
  success: pageSuccess('AnalysisPage', analysisResource, 'A page of analyses.'),
});

export const analysisContract = defineContract({
  tag: { name: 'Analysis', description: 'What a language model extracts from calls after they have ended.' },
  idPrefixes: ['ana'],
  scopes: {},
  operations: [runAnalysis, previewAnalysis, listAnalyses],
});
