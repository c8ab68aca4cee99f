/**
 * English words without the endings of plurals and verbs: steps 1 and 5 of Porter's algorithm
 * (https://tartarus.org/martin/PorterStemmer/), with the later correction of -y and -ies, and a table of irregular forms. The steps between them would also join
 * nouns and adjectives of one root, which are often about something else.
 */
export function englishStem(word: string): string {
  const regular = irregularForms.get(word) ?? word;
  if (regular.length < 3 || !/^[a-z]+$/.test(regular)) return regular;
  return withoutFinalE(finalYToI(withoutVerbEnding(withoutPluralEnding(regular))));
}

function withoutPluralEnding(word: string): string {
  if (word.endsWith('sses')) return word.slice(0, -2);
  // `tries` and `tried`, but also `ties` and `tied`.
  if (/ie[sd]$/.test(word)) return word.slice(0, word.length > 4 ? -2 : -1);
  if (word.endsWith('ss') || !word.endsWith('s')) return word;
  return word.slice(0, -1);
}

function withoutVerbEnding(word: string): string {
  if (word.endsWith('eed')) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
  const ending = /(?:ed|ing)$/.exec(word);
  const stem = ending === null ? '' : word.slice(0, ending.index);
  if (!hasVowel(stem)) return word;
  if (/(?:at|bl|iz)$/.test(stem)) return `${stem}e`;
  // `add` and `egg` end in one anyway.
  if (endsInDoubleConsonant(stem) && !/[lsz]$/.test(stem)) return stem.length > 3 ? stem.slice(0, -1) : stem;
  return isShortVerb(stem) || (measure(stem) === 1 && endsInShortSyllable(stem)) ? `${stem}e` : stem;
}

/** Such as `us` of `used`, which must not become the pronoun. */
function isShortVerb(stem: string): boolean {
  return stem.length === 2 && shapeOf(stem) === 'vc';
}

/** After a consonant, as in `tries`. */
function finalYToI(word: string): string {
  return /[^aeiou]y$/.test(word) && word.length > 2 ? `${word.slice(0, -1)}i` : word;
}

/** Also one of two final l, so that `cancelled` is `cancel`. */
function withoutFinalE(word: string): string {
  const stem = word.endsWith('e') ? word.slice(0, -1) : '';
  if (isShortVerb(stem)) return word;
  const count = measure(stem);
  const shorter = count > 1 || (count === 1 && !endsInShortSyllable(stem)) ? stem : word;
  return shorter.endsWith('ll') && measure(shorter) > 1 ? shorter.slice(0, -1) : shorter;
}

/** Y is a vowel after a consonant. */
function shapeOf(stem: string): string {
  let shape = '';
  for (const letter of stem) {
    const isVowel = 'aeiou'.includes(letter) || (letter === 'y' && shape.endsWith('c'));
    shape += isVowel ? 'v' : 'c';
  }
  return shape;
}

/** How often a vowel is followed by a consonant. */
function measure(stem: string): number {
  return shapeOf(stem).match(/v+c+/g)?.length ?? 0;
}

function hasVowel(stem: string): boolean {
  return shapeOf(stem).includes('v');
}

function endsInDoubleConsonant(stem: string): boolean {
  return stem.length > 1 && stem.at(-1) === stem.at(-2) && shapeOf(stem).endsWith('c');
}

/** Consonant, vowel, consonant, such as in `hop`, from which `hoping` has lost its e. */
function endsInShortSyllable(stem: string): boolean {
  return shapeOf(stem).endsWith('cvc') && !/[wxy]$/.test(stem);
}

/** By the form that the others are reduced to. Forms that are also another word, such as `left`, `found` and `leaves`, are missing. */
const forms: Readonly<Record<string, string>> = {
  be: 'am are is was were been',
  become: 'became',
  begin: 'began begun',
  bite: 'bit bitten',
  blow: 'blew blown',
  break: 'broke broken',
  bring: 'brought',
  build: 'built',
  buy: 'bought',
  catch: 'caught',
  child: 'children',
  choose: 'chose chosen',
  come: 'came',
  deal: 'dealt',
  do: 'does did done',
  draw: 'drew drawn',
  drink: 'drank drunk',
  drive: 'drove driven',
  eat: 'ate eaten',
  fall: 'fell fallen',
  feel: 'felt',
  fight: 'fought',
  fly: 'flew flown',
  foot: 'feet',
  forget: 'forgot forgotten',
  freeze: 'froze frozen',
  get: 'got gotten',
  give: 'gave given',
  go: 'goes went gone',
  grow: 'grew grown',
  half: 'halves',
  have: 'has had',
  hear: 'heard',
  hide: 'hid hidden',
  hold: 'held',
  keep: 'kept',
  knife: 'knives',
  know: 'knew known',
  lead: 'led',
  lend: 'lent',
  lose: 'lost',
  make: 'made',
  man: 'men',
  mean: 'meant',
  meet: 'met',
  mouse: 'mice',
  pay: 'paid',
  person: 'people',
  ride: 'rode ridden',
  ring: 'rang rung',
  rise: 'risen',
  run: 'ran',
  say: 'said',
  sell: 'sold',
  send: 'sent',
  shake: 'shook shaken',
  shelf: 'shelves',
  shine: 'shone',
  shoot: 'shot',
  show: 'shown',
  sing: 'sang sung',
  sit: 'sat',
  sleep: 'slept',
  speak: 'spoke spoken',
  spend: 'spent',
  stand: 'stood',
  steal: 'stole stolen',
  stick: 'stuck',
  swim: 'swam swum',
  take: 'took taken',
  teach: 'taught',
  tell: 'told',
  think: 'thought',
  throw: 'threw thrown',
  tooth: 'teeth',
  understand: 'understood',
  wake: 'woke woken',
  wear: 'wore worn',
  wife: 'wives',
  win: 'won',
  woman: 'women',
  write: 'wrote written',
};

const irregularForms: ReadonlyMap<string, string> = new Map(
  Object.entries(forms).flatMap(([word, others]) => others.split(' ').map((other): [string, string] => [other, word])),
);
