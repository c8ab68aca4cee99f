import { providersContract } from '../../contract/providers/index.ts';
import type { SpeechProviders } from '../../voice/speech-ports.ts';
import { type Area, defineArea } from '../area.ts';
import { providerRoutes } from './routes.ts';

/** What recognizes speech and speaks in this process. */
export function createProviders(speech: SpeechProviders): Area {
  return defineArea(providersContract, { handlers: providerRoutes(speech), onClose: () => speech.close() });
}
