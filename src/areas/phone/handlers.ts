import type { phoneContract } from '../../contract/phone/index.ts';
import type { Handlers } from '../../http/operations/handlers.ts';

export type PhoneHandlers = Handlers<(typeof phoneContract.operations)[number]>;
