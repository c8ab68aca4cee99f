/** Every code, and every sample. */
export const allCodes = Uint8Array.from({ length: 256 }, (_, code) => code);
export const allSamples = Int16Array.from({ length: 65_536 }, (_, index) => index - 32_768);

/** SHA-256 of the samples that ffmpeg decodes all codes to. `phone-audio-e2e.test.ts` compares everything with ffmpeg. */
export const decodedByFfmpeg = {
  mulaw: '3dab54339e520bb2c924826e3b72a917a2b612e9fd12fc867500f1d983a75827',
  alaw: 'e04788d110e58ff8c70c93b8480190d973e3b67876b6119abbaec766cc75c174',
};
