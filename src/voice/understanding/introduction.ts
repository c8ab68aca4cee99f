const introduced =
  /^(?:(?:私|わたし|わたくし|名前)(?:は|、)\s*)?(?<name>.{1,20}?)(?<ending>と申します|といいます|と言います|でございます|です)[。．.、\s]*$/su;
/** The last kana of adjectives and verbs: 良かったです is an opinion, and stays as it was said. */
const inflected = /[いたなくんうるすの]$/;

/** 山田 for 山田です and for 私、山田と申します: a tool that books for 山田と申します has the wrong name. */
export function withoutIntroduction(words: string): string {
  const { name, ending } = introduced.exec(words)?.groups ?? {};
  if (name === undefined || (ending === 'です' && inflected.test(name))) return words;
  return name;
}
