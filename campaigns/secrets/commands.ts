/** A command-line call that contains a secret or refers to one. */
export interface CommandMistake {
  readonly about: string;
  readonly args: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** `key` exists in the database; `secret` is arbitrary. */
export function commandMistakes(key: string, secret: string): CommandMistake[] {
  const databaseUrl = (url: string) => ({ DATABASE_URL: url });
  return [
    { about: 'keys list', args: ['keys', 'list'] },
    { about: 'keys revoke with a key in place of its id', args: ['keys', 'revoke', key] },
    { about: 'keys rotate with a key in place of its id', args: ['keys', 'rotate', secret] },
    { about: 'with an option that there is not', args: ['keys', 'list', `--key=${key}`] },
    { about: 'with an argument too many', args: ['keys', 'list', key] },
    { about: 'that there is not', args: [key] },
    {
      about: 'with an address of an unknown kind',
      args: ['keys', 'list'],
      environment: databaseUrl(`mysql://user:${secret}@127.0.0.1/db`),
    },
    {
      about: 'with an address that is none',
      args: ['serve'],
      environment: databaseUrl(`postgres://user:${secret}@127.0.0.1:port/db`),
    },
    {
      about: 'with a server that is away',
      args: ['keys', 'list'],
      environment: databaseUrl(`postgres://user:${secret}@127.0.0.1:1/db`),
    },
    {
      about: 'with a password in the query of an address',
      args: ['keys', 'list'],
      environment: databaseUrl(`postgres://127.0.0.1:1/db?user=u&password=${secret}`),
    },
    {
      about: 'with a key of the operator’s own that is none',
      args: ['serve'],
      environment: { BOOTSTRAP_API_KEY: `${secret}\n` },
    },
  ];
}
