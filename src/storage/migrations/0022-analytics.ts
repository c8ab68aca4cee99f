import type { Dialect } from '../database.ts';
import type { Migration } from '../migration.ts';

/** All workspaces that have calls, with nothing filled in. */
const fillEverything = `INSERT INTO call_facts_filling (workspace_id, before_id)
  SELECT id, '~' FROM workspaces WHERE EXISTS (SELECT 1 FROM calls WHERE workspace_id = workspaces.id)`;

/** Figures about calls. */
export const analytics: Migration = {
  version: 22,
  name: 'analytics',
  statements: (dialect) => [
    callFacts(dialect),
    // The workspaces whose older calls have no facts yet. `before_id`: calls from it on have; `filled_from`: when that
    // call was created.
    `CREATE TABLE call_facts_filling (
      workspace_id ${dialect.idType} NOT NULL PRIMARY KEY,
      before_id ${dialect.idType} NOT NULL,
      filled_from ${dialect.integerType}
    )`,
    'CREATE INDEX call_facts_filling_newest ON call_facts_filling (before_id)',
    fillEverything,
  ],
  withoutBackup: ['call_facts', 'call_facts_filling'],
  afterRestore: ['DELETE FROM call_facts', 'DELETE FROM call_facts_filling', fillEverything],
};

/**
 * What figures are computed of: one row for each call that is over, in the order of time. Numbers and names come first and
 * long values last, because SQLite reads a row from its start. `latencies`: of the `latency_turns` agent turns that have
 * any, as signed 32-bit little-endian numbers, all of one stage before those of the next, -1 for none.
 */
function callFacts({ engine, idType, integerType, bytesType }: Dialect): string {
  return `CREATE TABLE call_facts (
      workspace_id ${idType} NOT NULL,
      created_at ${integerType} NOT NULL,
      call_id ${idType} NOT NULL,
      is_draft ${integerType} NOT NULL,
      type ${idType} NOT NULL,
      direction ${idType} NOT NULL,
      status ${idType} NOT NULL,
      started_at ${integerType},
      ended_at ${integerType},
      duration_ms ${integerType},
      agent_id ${idType},
      agent_version ${integerType},
      engine ${idType},
      end_reason ${idType},
      ended_by ${idType},
      data_storage_setting ${idType} NOT NULL,
      analysis_status ${idType} NOT NULL,
      analysis_sentiment ${idType},
      analysis_successful ${integerType},
      agent_turns ${integerType} NOT NULL,
      caller_turns ${integerType} NOT NULL,
      tool_calls ${integerType} NOT NULL,
      tool_errors ${integerType} NOT NULL,
      agent_speech_ms ${integerType},
      caller_speech_ms ${integerType},
      overlap_ms ${integerType},
      first_word_ms ${integerType},
      dead_air_ms ${integerType},
      longest_silence_ms ${integerType},
      caller_interruptions ${integerType},
      agent_interruptions ${integerType},
      false_interruptions ${integerType},
      reminders ${integerType},
      waiting_sentences ${integerType},
      backchannels ${integerType},
      prompt_tokens ${integerType} NOT NULL,
      cached_tokens ${integerType} NOT NULL,
      completion_tokens ${integerType} NOT NULL,
      total_tokens ${integerType} NOT NULL,
      stt_audio_ms ${integerType} NOT NULL,
      tts_characters ${integerType} NOT NULL,
      knowledge_searches ${integerType} NOT NULL,
      knowledge_empty ${integerType} NOT NULL,
      carrier_billed_ms ${integerType} NOT NULL,
      currency ${idType},
      cost_micros ${integerType},
      model ${idType},
      stt_provider ${idType},
      tts_provider ${idType},
      e2e_p50 ${integerType},
      e2e_p90 ${integerType},
      e2e_p95 ${integerType},
      e2e_p99 ${integerType},
      latency_turns ${integerType} NOT NULL,
      latencies ${bytesType} NOT NULL,
      phone_number_id ${idType},
      batch_id ${idType},
      external_id ${idType},
      from_number ${idType},
      to_number ${idType},
      search_values TEXT NOT NULL,
      PRIMARY KEY (workspace_id, created_at, call_id)
    )${engine === 'sqlite' ? ' WITHOUT ROWID' : ''}`;
}
