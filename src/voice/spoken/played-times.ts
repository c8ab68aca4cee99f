/** When the samples of an utterance were played, as it was reported. Pauses make the difference to its length. */
export class PlayedTimes {
  private readonly reports: { readonly samples: number; readonly at: number }[] = [];
  private readonly samplesPerMs: number;

  constructor(rate: number) {
    this.samplesPerMs = rate / 1000;
  }

  /** So many samples have been played by now. */
  add(samples: number, at: number): void {
    this.reports.push({ samples, at });
  }

  at(samples: number): number {
    const index = this.reports.findIndex((report) => report.samples >= samples);
    const report = this.reports[index] ?? this.reports.at(-1);
    if (report === undefined) return 0;
    const before = this.reports[index - 1]?.at ?? Number.NEGATIVE_INFINITY;
    return Math.max(before, report.at - Math.max(0, report.samples - samples) / this.samplesPerMs);
  }
}
