/** The limits of one document. Beyond them it fails with `too_large`. */
export const limits = {
  fileBytes: 25 * 1024 * 1024,
  characters: 3_000_000,
  pages: 3000,
  /** As many as a whole knowledge base may have. */
  chunks: 20_000,
  /** Headings, paragraphs and table rows. */
  blocks: 200_000,
  /** Further columns of a table are left out, with the warning `truncated_table`. */
  columns: 200,
  /** Files in a DOCX are unpacked to at most this many bytes together, and to this many times their packed size. */
  unpackedBytes: 200 * 1024 * 1024,
  unpackedRatio: 100,
} as const;
