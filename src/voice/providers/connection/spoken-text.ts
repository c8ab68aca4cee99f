/** Longer than a space, punctuation and a number that is spoken differently. */
const maxSkipped = 20;

/** Where in the text the voice is, for voices that name the words or characters that they have said. */
export class SpokenText {
  private text = '';
  private position = 0;

  add(text: string): void {
    this.text += text;
  }

  /**
   * The characters up to the end of this word, or null if it is not the next one: voices write numbers and symbols out.
   * A word further on is found, too, unless it may be another of the same.
   */
  advance(word: string): number | null {
    const wanted = word.trim();
    if (wanted === '') return null;
    const found = this.text.indexOf(wanted, this.position);
    if (found < 0 || found - this.position > maxSkipped) return null;
    this.position = found + wanted.length;
    return this.position;
  }
}
