const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));

/** Something always follows them: a name, an example, an amount. */
const unfinished = words(
  'mr mrs ms mx dr prof rev hon gen col capt lt sgt st mt ft messrs e.g i.e vs cf approx dept est esp incl viz',
);
/** A sentence may end with them: it does if a capital letter follows. */
const possiblyLast = words(
  'a.m p.m etc inc ltd co corp jr sr bros ph.d m.d b.a m.a min max hr hrs sec tel ' +
    'jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun',
);
/** Abbreviations only in front of a number: "No. 5", but "No. That is wrong." */
const beforeNumber = words('no nos p pp vol ch sec fig art ext para eq ver');

const dottedLetters = /^(?:\p{L}\.)+\p{L}$/u;
const singleCapital = /^[A-HJ-Z]$/;

/** Whether a dot after `word` and before `next`, the first character of what follows, belongs to an abbreviation. */
export function isAbbreviation(word: string, next: string): boolean {
  const folded = word.toLowerCase();
  if (unfinished.has(folded)) return true;
  if (beforeNumber.has(folded) && /\d/.test(next)) return true;
  if (possiblyLast.has(folded)) return !/\p{Lu}/u.test(next) && /[\p{L}\p{N}]/u.test(next);
  // U.S., U.K., and initials: a capital letter that follows says nothing. "I." is a whole word.
  return dottedLetters.test(word) || singleCapital.test(word);
}
