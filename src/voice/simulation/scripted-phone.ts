import type { PhoneActions, Tools, TransferTarget } from '../ports.ts';
import type { ToolCall } from '../tools/tool.ts';

/** Nobody is called: `transfer_call` in the script of the tools says how a transfer ends. `onCall` gets the other tools. */
export function scriptedPhone(
  tools: Tools,
  transfers: readonly TransferTarget[],
  onCall: (call: ToolCall) => void,
): PhoneActions {
  return {
    transfers,
    pressKeys: (digits) => {
      onCall({ name: 'press_keys', arguments: { digits } });
      return true;
    },
    play: () => {},
    doNotCallAgain: (onResult) => {
      onCall({ name: 'do_not_call_again', arguments: {} });
      onResult(null);
    },
    transfer: ({ name }, onResult) =>
      tools.run('', { name: 'transfer_call', arguments: { name } }, (scripted) => {
        if (scripted.isError) return onResult({ transferred: false, reason: scripted.message });
        const { transferred, reason = 'failed' } = (scripted.result ?? {}) as {
          transferred?: boolean;
          reason?: string;
        };
        onResult(transferred === true ? { transferred } : { transferred: false, reason });
      }),
  };
}
