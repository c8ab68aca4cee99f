import { englishStem } from './english-stem.ts';

/** Words of grammar and of politeness, and what is left of contractions, such as `ll` and `couldn`. */
const words =
  'a about after again against all also am an and any are aren as at be because been before being between both but ' +
  'by can cannot could couldn d did didn do does doesn doing don down during each er few for from further get got ' +
  'had hadn has hasn have haven having he hello her here hers hi him his how i if in into isn it its just like ll m ' +
  'me more most mustn my no nor not now of off ok okay on only onto or other our ours out over own please re s same ' +
  'she should shouldn so some such t than that the their theirs them then there these they this those through to ' +
  'too uh um under until up us ve very was wasn we well were weren what when where which while who whom why will with ' +
  'without would wouldn yeah yes you your yours';

const stems: ReadonlySet<string> = new Set(words.split(' ').map(englishStem));

/** `stem`: the result of `englishStem`. */
export function isEnglishGrammar(stem: string): boolean {
  return stems.has(stem);
}
