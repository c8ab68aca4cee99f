/** A process of its own, so that what the vendors would do does not count as ours. */
import { cartesiaKey, startCartesiaDouble } from '../test/providers/cartesia-double.ts';
import { deepgramKey, startDeepgramDouble } from '../test/providers/deepgram-double.ts';
import { elevenLabsKey, startElevenLabsDouble } from '../test/providers/elevenlabs-double.ts';
import { openAiSpeechKey, startOpenAiSpeechDouble } from '../test/providers/openai-speech-double.ts';

const [deepgram, elevenlabs, cartesia, openai] = await Promise.all([
  startDeepgramDouble(),
  startElevenLabsDouble(),
  startCartesiaDouble(),
  startOpenAiSpeechDouble(),
]);
process.send?.({
  deepgram: { apiKey: deepgramKey, baseUrl: deepgram.baseUrl },
  elevenlabs: { apiKey: elevenLabsKey, baseUrl: elevenlabs.baseUrl },
  cartesia: { apiKey: cartesiaKey, baseUrl: cartesia.baseUrl },
  openai: { apiKey: openAiSpeechKey, baseUrl: openai.baseUrl },
});
process.on('disconnect', () => process.exit(0));
