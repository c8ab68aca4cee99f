/**
 * English sounds and phrases that hold the floor without saying anything. A caller who has said nothing else goes on, and
 * around an answer they are ignored. Japanese has a table for each: あの、店 and あの店 differ in an answer, and at the end
 * of the words only the ending counts.
 */
export const englishFillers: readonly string[] =
  'um|umm|uhm|uh|uhh|er|erm|hm|hmm|mm|ah|oh|well|so|like|you know|i mean|let me see|let me think'.split('|');
