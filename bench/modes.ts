import type { Timing } from './rounds.ts';
import { readWorks, writeWorks } from './works.ts';

export const sectionNames = [
  'compare',
  'large',
  'memory',
  'growth',
  'workers',
  'jobs',
  'voice',
  'custom-llm',
  'providers',
  'web-calls',
  'phone',
  'calls',
  'calls-search',
  'webhooks',
  'workflows',
  'tracing',
  'analysis',
  'knowledge',
  'analytics',
  'instances',
] as const;

export interface Mode {
  readonly sections: readonly (typeof sectionNames)[number][];
  readonly comparedAgents: number;
  /** The workload ids for the service and the limit. */
  readonly comparedWorks: readonly string[];
  /** The workload ids for the peers. If empty, they are not started. */
  readonly peerWorks: readonly string[];
  /** Agents in one workspace, for lists against the limit. */
  readonly largeAgents: number;
  readonly grownAgents: readonly { agents: number; workspaces: number }[];
  /** Calls in one workspace, for lists and searches. */
  readonly searchedCalls: number;
  /** Calls whose transcripts are searched. */
  readonly searchedTranscripts: number;
  /** Calls in one workspace in a year, for figures. */
  readonly analyzedCalls: number;
  readonly timing: Timing;
  readonly searchTiming: Timing;
}

const comparedAgents = 3000;
const reads = readWorks.map(({ id }) => id);
const writes = writeWorks.map(({ id }) => id);

/** For local development: only the thresholds, in about half a minute. */
const quick: Mode = {
  sections: ['compare'],
  comparedAgents,
  comparedWorks: [...reads, 'create-64'],
  peerWorks: [],
  largeAgents: 100_000,
  grownAgents: [],
  searchedCalls: 100_000,
  searchedTranscripts: 10_000,
  analyzedCalls: 100_000,
  timing: { rounds: 5, firstMs: 1200, warmupMs: 80, durationMs: 300 },
  searchTiming: { rounds: 1, firstMs: 200, warmupMs: 50, durationMs: 200 },
};

const short: Mode = {
  sections: sectionNames,
  comparedAgents,
  comparedWorks: [...reads, ...writes],
  peerWorks: ['get', 'list-50', 'create-64'],
  largeAgents: 100_000,
  grownAgents: [
    { agents: 1000, workspaces: 1 },
    { agents: 100_000, workspaces: 1 },
  ],
  searchedCalls: 100_000,
  searchedTranscripts: 100_000,
  analyzedCalls: 100_000,
  timing: { rounds: 3, firstMs: 1000, warmupMs: 100, durationMs: 300 },
  searchTiming: { rounds: 1, firstMs: 200, warmupMs: 50, durationMs: 200 },
};

const full: Mode = {
  sections: sectionNames,
  comparedAgents,
  comparedWorks: [...reads, ...writes],
  peerWorks: ['get', 'list-50', 'list-200', 'first-page', 'create-64', 'create-1'],
  largeAgents: 1_000_000,
  grownAgents: [
    { agents: 1000, workspaces: 1 },
    { agents: 100_000, workspaces: 1 },
    { agents: 1_000_000, workspaces: 1 },
    { agents: 1_000_000, workspaces: 1000 },
  ],
  searchedCalls: 1_000_000,
  searchedTranscripts: 100_000,
  analyzedCalls: 1_000_000,
  timing: { rounds: 5, firstMs: 6000, warmupMs: 200, durationMs: 1000 },
  searchTiming: { rounds: 3, firstMs: 500, warmupMs: 100, durationMs: 500 },
};

export const modes = { quick, short, full };
