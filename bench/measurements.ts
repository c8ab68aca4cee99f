import type { Measured } from './figures.ts';
import type { LoadResult } from './load.ts';
import { median } from './statistics.ts';

type Figure = keyof LoadResult;

/** The measurements of each contestant in each workload, by round. */
export class Measurements {
  private readonly rounds = new Map<string, LoadResult[]>();

  add(contestant: string, work: string, result: LoadResult): void {
    const place = `${contestant}\n${work}`;
    this.rounds.set(place, [...(this.rounds.get(place) ?? []), result]);
  }

  private of(contestant: string, work: string): readonly LoadResult[] {
    return this.rounds.get(`${contestant}\n${work}`) ?? [];
  }

  /** NaN if it was not measured. */
  median(contestant: string, work: string, figure: Figure): number {
    return median(this.of(contestant, work).map((result) => result[figure]));
  }

  /** One ratio per round: both sides were measured within seconds of each other. */
  ratios(contestant: string, other: string, work: string, figure: Figure): number[] {
    const others = this.of(other, work);
    return this.of(contestant, work).flatMap((result, round) => {
      const against = others[round];
      return against === undefined ? [] : [result[figure] / against[figure]];
    });
  }

  ratio(contestant: string, other: string, work: string, figure: Figure): number {
    return median(this.ratios(contestant, other, work, figure));
  }

  all(): Measured[] {
    return [...this.rounds].map(([place, rounds]) => {
      const [contestant = '', work = ''] = place.split('\n');
      const figures = Object.keys(rounds[0] as LoadResult) as Figure[];
      const medians = figures.map((figure) => [figure, this.median(contestant, work, figure)]);
      return { contestant, work, medians: Object.fromEntries(medians) as unknown as LoadResult, rounds };
    });
  }
}
