import type { providersContract } from '../../contract/providers/index.ts';
import type { Handlers } from '../../http/operations/handlers.ts';

export type ProviderHandlers = Handlers<(typeof providersContract.operations)[number]>;
