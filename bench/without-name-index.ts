/** The service as it is, but for the index of names: what the index costs is measured against it. */
import { serve } from '../src/main.ts';

await serve(process.env, { hasNameIndex: false });
