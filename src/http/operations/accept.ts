const json = 'application/json';

/**
 * Whether an `Accept` header asks for a media type rather than for JSON, which is the default: also for clients that
 * accept anything, or both types equally.
 */
export function prefers(accept: string | undefined, mediaType: string): boolean {
  if (accept === undefined) return false;
  const ranges = accept.split(',').map(parseRange);
  const wanted = matchIn(ranges, mediaType);
  const fallback = matchIn(ranges, json);
  if (wanted.quality !== fallback.quality) return wanted.quality > fallback.quality;
  return wanted.quality > 0 && wanted.precision > fallback.precision;
}

type Range = ReturnType<typeof parseRange>;

function parseRange(text: string) {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const quality = parameters.find((parameter) => /^q\s*=/.test(parameter));
  if (quality === undefined) return { type, quality: 1 };
  const value = /^q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.exec(quality)?.[1];
  // A range that cannot be understood asks for nothing.
  return { type, quality: value === undefined ? 0 : Number(value) };
}

/** The most precise range that contains the type decides (RFC 9110). */
function matchIn(ranges: readonly Range[], mediaType: string) {
  const anySubtype = `${mediaType.slice(0, mediaType.indexOf('/'))}/*`;
  // 0: any type, 1: any subtype, 2: exactly this one.
  let best = { quality: 0, precision: -1 };
  for (const { type, quality } of ranges) {
    const precision = type === mediaType ? 2 : type === anySubtype ? 1 : type === '*/*' ? 0 : -1;
    if (precision > best.precision) best = { quality, precision };
  }
  return best;
}
