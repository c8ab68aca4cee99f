import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Writes the folder of a voice as sherpa-onnx publishes them: a VITS model that hums 0.1 s for each character. */
export function writeTinyVoice(folder: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'model.onnx'), tinyVits());
  const characters = [...'_ abcdefghijklmnopqrstuvwxyz,.!?'];
  writeFileSync(join(folder, 'tokens.txt'), characters.map((character, id) => `${character} ${id}\n`).join(''));
}

/** How many samples a second of the model has. */
export const tinyVoiceRate = 16_000;

/** A complete ONNX model in a few hundred bytes, with the inputs and the metadata of a VITS model. */
function tinyVits(): Buffer {
  const nodes = [
    node('Cast', ['x_length'], 'count', [integerAttribute('to', types.float)]),
    node('Mul', ['count', 'samples_per_token'], 'plain'),
    node('Mul', ['plain', 'length_scale'], 'stretched'),
    node('Squeeze', ['stretched'], 'limit'),
    node('Range', ['start', 'limit', 'step'], 'places'),
    node('Mul', ['places', 'pitch'], 'angles'),
    node('Sin', ['angles'], 'wave'),
    node('Mul', ['wave', 'loudness'], 'tone'),
    node('Reshape', ['tone', 'shape'], 'y'),
  ];
  const graph = message(
    ...nodes.map((each) => bytesField(1, each)),
    textField(2, 'tiny'),
    ...[
      floats('samples_per_token', [1], [tinyVoiceRate / 10]),
      floats('start', [], [0]),
      floats('step', [], [1]),
      floats('pitch', [], [(2 * Math.PI * 220) / tinyVoiceRate]),
      floats('loudness', [], [0.3]),
      integers('shape', [3], [1, 1, -1]),
    ].map((tensor) => bytesField(5, tensor)),
    ...[
      valueInfo('x', types.integer, [1, 'n']),
      valueInfo('x_length', types.integer, [1]),
      valueInfo('noise_scale', types.float, [1]),
      valueInfo('length_scale', types.float, [1]),
      valueInfo('noise_scale_w', types.float, [1]),
    ].map((input) => bytesField(11, input)),
    bytesField(12, valueInfo('y', types.float, [1, 1, 'm'])),
  );
  const metadata = {
    sample_rate: String(tinyVoiceRate),
    add_blank: '0',
    n_speakers: '1',
    punctuation: ', . ! ?',
    language: 'English',
    comment: 'test',
    frontend: 'characters',
    use_eos_bos: '0',
    blank_id: '0',
    bos_id: '0',
    eos_id: '0',
    pad_id: '0',
  };
  return message(
    numberField(1, 8),
    bytesField(7, graph),
    bytesField(8, message(textField(1, ''), numberField(2, 13))),
    ...Object.entries(metadata).map(([key, value]) => bytesField(14, message(textField(1, key), textField(2, value)))),
  );
}

/** The types of elements in ONNX. */
const types = { float: 1, integer: 7 };

function node(operation: string, inputs: readonly string[], output: string, attributes: readonly Buffer[] = []) {
  return message(
    ...inputs.map((input) => textField(1, input)),
    textField(2, output),
    textField(4, operation),
    ...attributes.map((attribute) => bytesField(5, attribute)),
  );
}

function integerAttribute(name: string, value: number): Buffer {
  return message(textField(1, name), numberField(3, value), numberField(20, 2));
}

function floats(name: string, dimensions: readonly number[], values: readonly number[]): Buffer {
  return tensor(name, types.float, dimensions, Buffer.from(Float32Array.from(values).buffer));
}

function integers(name: string, dimensions: readonly number[], values: readonly number[]): Buffer {
  return tensor(name, types.integer, dimensions, Buffer.from(BigInt64Array.from(values, BigInt).buffer));
}

function tensor(name: string, type: number, dimensions: readonly number[], data: Buffer): Buffer {
  return message(
    ...dimensions.map((size) => numberField(1, size)),
    numberField(2, type),
    textField(8, name),
    bytesField(9, data),
  );
}

function valueInfo(name: string, type: number, dimensions: readonly (number | string)[]): Buffer {
  const shape = dimensions.map((size) =>
    bytesField(1, message(typeof size === 'number' ? numberField(1, size) : textField(2, size))),
  );
  const ofTensor = message(numberField(1, type), bytesField(2, message(...shape)));
  return message(textField(1, name), bytesField(2, message(bytesField(1, ofTensor))));
}

/** Protocol Buffers, the format of ONNX. */
function message(...fields: readonly Buffer[]): Buffer {
  return Buffer.concat(fields);
}

function numberField(field: number, value: number): Buffer {
  return Buffer.concat([varint(field << 3), varint(value)]);
}

function textField(field: number, text: string): Buffer {
  return bytesField(field, Buffer.from(text));
}

function bytesField(field: number, bytes: Buffer): Buffer {
  return Buffer.concat([varint((field << 3) | 2), varint(bytes.length), bytes]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return Buffer.from([...bytes, rest]);
}
