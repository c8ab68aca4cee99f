/** The service without the name index, to measure what the index costs. */
import { serve } from '../src/main.ts';

await serve(process.env, { hasNameIndex: false });
