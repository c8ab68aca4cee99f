/**
 * Loads a model that the operator has placed in SPEECH_MODELS, and ends. The runtime aborts the process if a model is
 * damaged, so that this is tried in a process of its own.
 */
import { loadSherpa } from '../sherpa.ts';
import { loadJapanese } from './models.ts';

const [runtime = '', model = ''] = process.argv.slice(2);
loadJapanese(loadSherpa(runtime), JSON.parse(model));
