/** C0 and C1 controls, line and paragraph separators, marks that turn the direction of text, the byte order mark, lone surrogates. */
const unprintable = /[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]|\p{Cs}/gu;

const shortNames: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Text of others for a terminal: what could move the cursor, colour the screen or turn the text around is shown as an escape. */
export function printable(text: string): string {
  return text.replace(unprintable, (character) => {
    const code = character.charCodeAt(0);
    return shortNames[character] ?? (code < 0x100 ? `\\x${hex(code, 2)}` : `\\u${hex(code, 4)}`);
  });
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0');
}
