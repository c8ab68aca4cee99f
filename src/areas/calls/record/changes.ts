import type { Call } from '../../../contract/calls/call.ts';
import { metadataLimits, sizeIssues } from '../../../contract/calls/values.ts';
import { unprocessable, validationFailed } from '../../../core/errors.ts';
import { mergePatch } from '../../../core/merge-patch.ts';
import { storedValues } from './storage-setting.ts';

/** What can be changed of a call. */
export interface CallChanges {
  /** Merged into that of the call. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  readonly externalId?: string | null | undefined;
}

/** The changed fields, as they may be stored. */
export function changesOf(call: Call, { metadata, externalId }: CallChanges): Partial<Call> {
  const changes: Partial<Call> = externalId === undefined ? {} : { externalId };
  if (metadata === undefined) return changes;
  const merged = mergePatch(call.metadata, metadata) as Call['metadata'];
  const issues = sizeIssues(merged, metadataLimits);
  if (issues.length > 0) throw validationFailed({ metadata: issues });
  if (call.dataStorageSetting === 'basic_attributes_only') {
    throw unprocessable({ metadata: ['is not stored: only basic attributes of this call are'] });
  }
  return { ...changes, metadata: storedValues(merged, call.dataStorageSetting) };
}
