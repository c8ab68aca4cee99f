import { inBothLanguages } from '../language/texts.ts';

/** The built-in views: what they are called, what they show precisely, and what to do if there is nothing to show. */
export const viewTexts = inBothLanguages(
  {
    calls: 'Calls and connect rate',
    callsAbout:
      'Ended calls, by the time they were created. The connect rate is the share of calls that were joined or answered.',
    callsNone: 'No calls in this period.',
    latency: 'Reply time of spoken calls',
    latencyAbout:
      'The time from the end of the caller’s speech to the first sound of the reply, in web calls and phone calls. Percentiles are exact and cover all replies.',
    latencyNone: 'No reply times of spoken calls were measured in this period.',
    chatLatency: 'Reply time of chats',
    chatLatencyAbout:
      'The time from the message to the first text of the reply. Percentiles are exact and cover all replies.',
    chatLatencyNone: 'No reply times of chats were measured in this period.',
    success: 'Success rate by agent version',
    successAbout: 'The share of successful calls among those whose analysis reached a verdict.',
    successNone: 'No analyzed calls. Define what counts as a success in the “Analysis” tab of an agent.',
    stages: 'Reply time by stage',
    stagesAbout:
      'Where the reply time of spoken calls goes: the median and 95th percentile of each stage over all replies. Percentiles of stages do not add up to the total.',
    stagesNone: 'No stages were measured in this period. They are measured in web calls and phone calls.',
    endReasons: 'End reasons',
    endReasonsAbout: 'Why calls ended.',
    endReasonsNone: 'No calls in this period.',
    sentiment: 'Sentiment',
    sentimentAbout:
      'The caller’s sentiment according to the analysis. Calls without a known sentiment are not counted.',
    sentimentNone: 'No analyzed calls. Turn on the analysis in the “Analysis” tab of an agent.',
    interruptions: 'Interruptions',
    interruptionsAbout: 'Interruptions by the caller and by the agent, per agent turn in spoken calls.',
    interruptionsNone: 'No spoken calls in this period. Interruptions are counted in web calls and phone calls.',
    talk: 'Talk ratio',
    talkAbout: 'The agent’s share of all speech, averaged over spoken calls in which somebody spoke.',
    talkNone: 'No spoken calls in this period.',
    pauses: 'Dead air and first word',
    pausesAbout:
      'Dead air is the average time per spoken call in which nobody spoke while a reply was pending. First word is the median time from the start of the call to the agent’s first sound.',
    pausesNone: 'No spoken calls in this period.',
    hours: 'Calls by hour and weekday',
    hoursAbout: 'When calls were created, in the time zone of the page. Darker cells have more calls.',
    hoursNone: 'No calls in this period.',
    tools: 'Tool calls and errors',
    toolsAbout: 'The number of tool calls, and the share that failed.',
    toolsNone: 'No tools were called in this period.',
    cost: 'Estimated cost by agent',
    costAbout:
      'Usage multiplied by your prices, for calls whose prices are all known. Your provider’s invoice may differ.',
    costNone: 'No call has a price. Enter your providers’ prices; costs are also computed for past calls.',
  },
  {
    calls: '通話数と接続率',
    callsAbout: '終了した通話を、作成日時で集計します。接続率は、参加または応答があった通話の割合です。',
    callsNone: 'この期間の通話はありません。',
    latency: '音声通話の応答時間',
    latencyAbout:
      'Web通話と電話で、発信者が話し終えてから返答の最初の音声までの時間です。すべての返答から正確なパーセンタイルを計算します。',
    latencyNone: 'この期間に計測された音声通話の応答時間はありません。',
    chatLatency: 'チャットの応答時間',
    chatLatencyAbout:
      'メッセージを受け取ってから返答の最初の文字までの時間です。すべての返答から正確なパーセンタイルを計算します。',
    chatLatencyNone: 'この期間に計測されたチャットの応答時間はありません。',
    success: 'バージョン別の成功率',
    successAbout: '分析で成功か失敗かが判定された通話のうち、成功した通話の割合です。',
    successNone: '分析済みの通話がありません。エージェントの「分析」タブで成功の条件を設定してください。',
    stages: '応答時間の内訳',
    stagesAbout:
      '音声通話で、返答までの各段階にかかった時間の中央値と95パーセンタイルです（すべての返答が対象）。各段階のパーセンタイルを合計しても全体とは一致しません。',
    stagesNone: 'この期間に計測された段階がありません。Web通話と電話で計測されます。',
    endReasons: '終了理由',
    endReasonsAbout: '通話が終了した理由です。',
    endReasonsNone: 'この期間の通話はありません。',
    sentiment: '発信者の感情',
    sentimentAbout: '分析で判定された発信者の感情です。判定できなかった通話は含みません。',
    sentimentNone: '分析済みの通話がありません。エージェントの「分析」タブで分析を有効にしてください。',
    interruptions: '割り込み',
    interruptionsAbout:
      '音声通話での、エージェントの発言1回あたりの割り込みの割合です（発信者とエージェントのそれぞれ）。',
    interruptionsNone: 'この期間の音声通話はありません。割り込みはWeb通話と電話で計測されます。',
    talk: 'エージェントの発話割合',
    talkAbout: '全発話時間に占めるエージェントの割合です（発話のあった音声通話の平均）。',
    talkNone: 'この期間の音声通話はありません。',
    pauses: '返答待ちの無音と第一声',
    pausesAbout:
      '「返答待ちの無音」は返答を待つ間に誰も話していなかった時間（音声通話1件あたりの平均）、「第一声まで」は通話開始からエージェントの第一声までの時間（中央値）です。',
    pausesNone: 'この期間の音声通話はありません。',
    hours: '曜日と時間帯',
    hoursAbout: '通話が作成された時間帯です（このページのタイムゾーン）。色が濃いほど通話が多いことを示します。',
    hoursNone: 'この期間の通話はありません。',
    tools: 'ツールの呼び出しとエラー',
    toolsAbout: 'ツールが呼び出された回数と、失敗した割合です。',
    toolsNone: 'この期間に呼び出されたツールはありません。',
    cost: 'エージェント別の推定費用',
    costAbout:
      '使用量に登録済みの単価を掛けた推定額です。すべての単価が登録されている通話のみ含みます。実際の請求額とは異なる場合があります。',
    costNone: '単価のある通話がありません。プロバイダーの単価を登録してください。過去の通話の費用も計算されます。',
  },
);
