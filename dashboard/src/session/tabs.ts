const channelName = 'voice-agents-session';
/** Open tabs answer within a few milliseconds; a suspended one never does. */
const answerMs = 250;

type Message =
  | { readonly kind: 'ask'; readonly from: string }
  | { readonly kind: 'answer'; readonly to: string; readonly key: string }
  | { readonly kind: 'replaced'; readonly old: string; readonly key: string }
  | { readonly kind: 'signed-out' };

/**
 * Asks the open tabs of this browser for their key; null if none is signed in. The key goes from tab to tab in memory:
 * it is stored nowhere, and pages of other origins cannot listen.
 */
export async function askOpenTabs(): Promise<string | null> {
  if (await isFirstTab()) return null;
  const channel = new BroadcastChannel(channelName);
  // Not randomUUID, which browsers offer in secure contexts only.
  const from = crypto.getRandomValues(new Uint32Array(4)).join('-');
  return await new Promise<string | null>((resolve) => {
    const timer = setTimeout(resolve, answerMs, null);
    channel.onmessage = ({ data }: MessageEvent<Message>) => {
      if (data.kind !== 'answer' || data.to !== from) return;
      clearTimeout(timer);
      resolve(data.key);
    };
    send(channel, { kind: 'ask', from });
  }).finally(() => channel.close());
}

/** Whether no other tab is signed in. False where that is not known: browsers offer locks in secure contexts only. */
async function isFirstTab(): Promise<boolean> {
  const { held = [] } = (await navigator.locks?.query()) ?? { held: [{ name: channelName }] };
  return !held.some(({ name }) => name === channelName);
}

export interface OpenTabs {
  /** Signs out all other tabs. */
  signOut(): void;
  /** Other tabs with the same key continue with the one that replaces it. */
  replace(old: string, key: string): void;
  close(): void;
}

interface Listener {
  /** The key of this tab; null if it may no longer be used. */
  readonly currentKey: () => string | null;
  readonly onSignedOut: () => void;
  readonly onReplaced: (key: string) => void;
}

/** Connects a signed-in tab with the others. */
export function joinOpenTabs({ currentKey, onSignedOut, onReplaced }: Listener): OpenTabs {
  const channel = new BroadcastChannel(channelName);
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    const key = currentKey();
    if (data.kind === 'signed-out') onSignedOut();
    else if (data.kind === 'ask' && key !== null) send(channel, { kind: 'answer', to: data.from, key });
    else if (data.kind === 'replaced' && data.old === key) onReplaced(data.key);
  };
  // Held while the tab is signed in, so that a new tab need not wait for answers if there is none.
  let release = () => {};
  const closed = new Promise<void>((resolve) => {
    release = resolve;
  });
  navigator.locks?.request(channelName, { mode: 'shared' }, () => closed);
  return {
    signOut: () => send(channel, { kind: 'signed-out' }),
    replace: (old, key) => send(channel, { kind: 'replaced', old, key }),
    close: () => {
      release();
      channel.close();
    },
  };
}

function send(channel: BroadcastChannel, message: Message): void {
  channel.postMessage(message);
}
