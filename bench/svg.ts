/** The shapes used by the plots. */

export const colours = {
  ink: '#1f2733',
  quiet: '#667085',
  line: '#e3e7ee',
  card: '#ffffff',
  tile: '#f6f8fb',
  service: '#2457d6',
  good: '#1a7f4b',
  bad: '#c2410c',
};

interface TextLook {
  readonly size: number;
  readonly weight?: number;
  readonly colour?: string;
  readonly anchor?: 'start' | 'middle' | 'end';
}

export function text(
  x: number,
  y: number,
  content: string,
  { size, weight = 400, colour = colours.ink, anchor = 'start' }: TextLook,
): string {
  const escaped = content.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<text x="${round(x)}" y="${round(y)}" font-size="${size}" font-weight="${weight}" fill="${colour}" text-anchor="${anchor}">${escaped}</text>`;
}

export function rect(x: number, y: number, w: number, h: number, fill: string, radius: number): string {
  return `<rect x="${round(x)}" y="${round(y)}" width="${round(w)}" height="${round(h)}" rx="${radius}" fill="${fill}"/>`;
}

export function line(x1: number, y1: number, x2: number, y2: number, stroke: string): string {
  return `<line x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}" stroke="${stroke}"/>`;
}

export function dashed(x1: number, y1: number, x2: number, y2: number): string {
  return line(x1, y1, x2, y2, colours.ink).replace('/>', ' stroke-dasharray="4 3"/>');
}

export function round(value: number): number {
  return Math.round(value * 10) / 10;
}
