import { englishStem } from './english-stem.ts';

/** Words of grammar and of politeness, and what is left of contractions, such as `ll`. */
const words =
  'a about after again against all also am an and any are as at be because been before being between both but by can ' +
  'cannot could d did do does doing don down during each er few for from further get got had has have having he hello ' +
  'her here hers hi him his how i if in into it its just like ll m me more most my no nor not now of off ok okay on ' +
  'only onto or other our ours out over own please re s same she should so some such t than that the their theirs ' +
  'them then there these they this those through to too uh um under until up ve very was we well were what when ' +
  'where which while who whom why will with without would yeah yes you your yours';

const stems: ReadonlySet<string> = new Set(words.split(' ').map(englishStem));

/** `stem`: the result of `englishStem`. */
export function isEnglishGrammar(stem: string): boolean {
  return stems.has(stem);
}
