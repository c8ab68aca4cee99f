import type { Declaration, OptionWords } from '../declaration.ts';
import { exitCodeHelp } from '../failures.ts';
import type { Action } from '../resources/action.ts';

const keyEnvOption: OptionWords = ['--key-env <name>', 'read the key from this environment variable'];

export const providerCommands: readonly (Declaration | Action)[] = [
  {
    name: 'providers',
    description: 'list the providers of speech, language models and embeddings; set and verify keys',
    about: `Without a command, it lists the providers, and which capability comes from where.

Examples:
  voice-agents providers
  voice-agents providers credentials set openai
  voice-agents providers verify openai
${exitCodeHelp}`,
  },
  {
    name: 'providers credentials',
    description: 'set and delete the keys that this workspace uses at providers',
  },
  {
    name: 'providers credentials set <provider>',
    description: 'set the key, the address and the models of a provider for this workspace',
    options: [
      keyEnvOption,
      ['--keep-key', 'keep the key that is set, and change the rest'],
      ['--no-key', 'for a server of your own that needs no key'],
      ['--address <url>', 'the address of the provider or of a compatible server (default: the usual one)'],
      ['--models <map>', 'the names that openai is sent for models, such as gpt-5.4-mini=llama3.2,*=qwen3'],
      ['--model <name>', 'the model of embeddings'],
    ],
    about: `The provider is openai (or a compatible server), deepgram, elevenlabs, cartesia or
embeddings. There is no option for the key, because command lines are visible to all
users of a machine: it is asked for on a terminal, or read from standard input or an
environment variable. Everything that is not given goes back to its default.

Examples:
  voice-agents providers credentials set deepgram
  voice-agents providers credentials set openai --key-env OPENAI_API_KEY
  voice-agents providers credentials set openai --no-key --address https://models.example.com/v1
  voice-agents providers credentials set embeddings --model text-embedding-3-small < key.txt`,
    body: async (options, context) => (await import('./credentials.ts')).credentialsBody(options, context),
    send: ({ providers }, [provider], body, options) => providers.credentials.put(provider, body, options),
    text: ({ provider, apiKey: { set, last4 } }) =>
      `Credentials of ${provider} set${set ? (last4 === null ? '' : `, with the key that ends with ${last4}`) : ', without a key'}.\n`,
    note: ({ provider }) => `Verify them with "voice-agents providers verify ${provider}".\n`,
  },
  {
    name: 'providers credentials delete <provider>',
    description: 'delete the credentials of this workspace at a provider',
    examples: ['openai'],
    send: ({ providers }, [provider], _, options) => providers.credentials.delete(provider, options),
    text: ({ provider }) => `Credentials of ${provider} deleted.\n`,
  },
  {
    name: 'providers verify <provider>',
    description: 'ask a provider whether it accepts the key, and say what is wrong if it does not',
    about: `Sends the cheapest request that proves the key. The exit code is 1 if the provider
cannot be used.

Examples:
  voice-agents providers verify openai
  voice-agents providers verify elevenlabs --json`,
    send: ({ providers }, [provider], _, options) => providers.verify(provider, options),
    text: ({ message, source }) => `${message}${source === 'operator' ? ' The key is that of the operator.' : ''}\n`,
    hasFailed: ({ ok }) => !ok,
  },
];
