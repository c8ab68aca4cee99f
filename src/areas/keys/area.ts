import type { IncomingHttpHeaders } from 'node:http';
import { apiKeysContract } from '../../contract/api-keys/index.ts';
import type { Authenticate } from '../../http/operations/handlers.ts';
import { type Area, defineArea, type Kernel } from '../area.ts';
import { createAuthenticator, secretIn } from './authenticate.ts';
import { type CallerCheck, createCallerCheck } from './caller-check.ts';
import { createKeyValidity } from './key-validity.ts';
import { LastUses } from './last-uses.ts';
import { keyRoutes } from './routes.ts';
import { createSignIn, type RecordNewKey, type SignIn } from './sign-in.ts';
import { createKeyStore } from './store.ts';

export interface Keys {
  readonly area: Area;
  readonly authenticate: Authenticate;
  readonly secretIn: (headers: IncomingHttpHeaders) => string;
  readonly checkCaller: CallerCheck;
  readonly signIn: SignIn;
  /** For access tokens, which are valid only as long as the key that created them. */
  readonly isKeyValid: (workspaceId: string, keyId: string) => Promise<boolean>;
  /** The ids of these keys that exist and are neither revoked nor expired. */
  readonly findValidKeys: (keyIds: readonly string[]) => Promise<ReadonlySet<string>>;
}

/** API keys, and the authentication of requests by them. */
export function createKeys({ database, newId, now }: Kernel, recordNewKey: RecordNewKey): Keys {
  const store = createKeyStore(database, newId, now);
  const lastUses = new LastUses(store.noteUses);
  const checkCaller = createCallerCheck(store.find, now);
  const area = defineArea(apiKeysContract, {
    handlers: keyRoutes(store, database, checkCaller, now),
    tasks: [{ name: 'save last uses of keys', everyMs: 10_000, run: () => lastUses.flush().then(() => false) }],
    onClose: () => lastUses.flush(),
  });
  const authenticate = createAuthenticator(store.findBySecret, lastUses.note.bind(lastUses), now);
  const isKeyValid = createKeyValidity(
    ({ workspaceId, keyId }) => store.find(database.unqueued, workspaceId, keyId),
    now,
  );
  const signIn = createSignIn({ database, now }, store, recordNewKey);
  return { area, authenticate, secretIn, checkCaller, signIn, isKeyValid, findValidKeys: store.findValid };
}
