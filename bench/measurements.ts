import type { Measured } from './figures.ts';
import type { LoadResult } from './load.ts';
import { median } from './statistics.ts';

type Figure = keyof LoadResult;

/** The measurements of each subject in each workload, by round. */
export class Measurements {
  private readonly rounds = new Map<string, LoadResult[]>();

  add(subject: string, work: string, result: LoadResult): void {
    const place = `${subject}\n${work}`;
    this.rounds.set(place, [...(this.rounds.get(place) ?? []), result]);
  }

  private of(subject: string, work: string): readonly LoadResult[] {
    return this.rounds.get(`${subject}\n${work}`) ?? [];
  }

  /** NaN if it was not measured. */
  median(subject: string, work: string, figure: Figure): number {
    return median(this.of(subject, work).map((result) => result[figure]));
  }

  /** One ratio per round: both sides were measured within seconds of each other. */
  ratios(subject: string, other: string, work: string, figure: Figure): number[] {
    const others = this.of(other, work);
    return this.of(subject, work).flatMap((result, round) => {
      const against = others[round];
      return against === undefined ? [] : [result[figure] / against[figure]];
    });
  }

  ratio(subject: string, other: string, work: string, figure: Figure): number {
    return median(this.ratios(subject, other, work, figure));
  }

  all(): Measured[] {
    return [...this.rounds].map(([place, rounds]) => {
      const [subject = '', work = ''] = place.split('\n');
      const figures = Object.keys(rounds[0] as LoadResult) as Figure[];
      const medians = figures.map((figure) => [figure, this.median(subject, work, figure)]);
      return { subject, work, medians: Object.fromEntries(medians) as unknown as LoadResult, rounds };
    });
  }
}
