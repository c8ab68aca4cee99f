import type { PhoneActions, Tools, TransferTarget } from '../ports.ts';

/** Nobody is called: `transfer_call` in the script of the tools says how a transfer ends. */
export function scriptedPhone(tools: Tools, transfers: readonly TransferTarget[]): PhoneActions {
  return {
    transfers,
    pressKeys: () => true,
    play: () => {},
    doNotCallAgain: (onResult) => onResult(null),
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
