import { connectionOptions, type Declaration, jsonOption, lazily, profileOption } from '../declaration.ts';
import { type ConnectionOptions, connect } from './connection.ts';

const login = () => import('./login.ts');

/** The commands that save and show connections. */
export const connectionCommands: readonly Declaration[] = [
  {
    name: 'login',
    description: 'save the URL of a service and an API key for it',
    options: connectionOptions,
    about: `Prompts for missing values. Without a terminal, the key is read from standard
input. The key is verified, then saved in a file that only you can read. The
profile is named "default" unless you specify a name, and becomes the current
one.

VOICE_AGENTS_API_KEY and VOICE_AGENTS_BASE_URL take precedence over profiles.

Examples:
  voice-agents login
  voice-agents login --profile staging --base-url https://staging.example.com
  echo "$KEY" | voice-agents login --base-url http://127.0.0.1:8080`,
    run: lazily(login, 'login'),
  },
  {
    name: 'logout',
    description: 'remove a profile; this does not revoke the key',
    options: [profileOption],
    examples: ['', '--profile staging'],
    run: lazily(login, 'logout'),
  },
  {
    name: 'profiles',
    description: 'list profiles, or switch between them',
    options: [
      ['--json', 'print JSON, one profile per line'],
      ['--names', 'print only the names'],
    ],
    about: `The current profile is marked with *. Keys are shown abbreviated.

Examples:
  voice-agents profiles use staging
  VOICE_AGENTS_PROFILE=staging voice-agents agents list`,
    run: lazily(login, 'listProfiles'),
  },
  {
    name: 'profiles use <profile>',
    description: 'switch to a profile',
    examples: ['staging'],
    run: lazily(login, 'useProfile'),
  },
  {
    name: 'whoami',
    description: 'show the workspace and the scopes of the API key',
    options: [...connectionOptions, jsonOption],
    examples: ['', '--json | jq -r .workspaceId'],
    run: lazily(login, 'whoami'),
  },
  {
    name: 'open',
    description: 'open the dashboard of the service in a browser',
    options: connectionOptions,
    about: 'Prints the URL if there is no browser, such as in an SSH session.',
    examples: ['--profile staging'],
    run: lazily(() => import('./open.ts'), 'openDashboard'),
  },
];

interface McpCommandOptions extends ConnectionOptions {
  readonly write?: true;
  readonly allowCalls?: true;
}

/** An MCP server that exposes the agents as tools. */
export const mcpCommand: Declaration = {
  name: 'mcp',
  description: 'run an MCP server over standard input and output',
  options: [
    ...connectionOptions,
    ['--write', 'also offer tools that change data: agents and chats'],
    ['--allow-calls', 'also offer tools that call phones, which may cost money'],
  ],
  run: async (context, { write, allowCalls, ...options }: McpCommandOptions) => {
    const { client, baseUrl } = await connect(options, context.environment);
    const { serveMcp } = await import('../../mcp/stdio.ts');
    const flags = [...(write ? (['--write'] as const) : []), ...(allowCalls ? (['--allow-calls'] as const) : [])];
    await serveMcp({ client, baseUrl, version: context.version, flags }, context);
  },
};
