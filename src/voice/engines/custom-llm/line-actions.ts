import { keys } from '../../../contract/agents/settings/phone.ts';
import type { EngineCall } from '../engine.ts';
import type { SpokenFrame } from './frames.ts';

/** What the server wants done with the phone line after what it says. */
export class LineActions {
  private readonly call: Pick<EngineCall, 'transfer' | 'pressKeys' | 'warn'>;
  private number = '';
  private digits = '';

  constructor(call: LineActions['call']) {
    this.call = call;
  }

  add({ transfer_number: number, digit_to_press: digits }: SpokenFrame): void {
    if (number != null && number !== '') this.number = number;
    if (digits != null && digits !== '') this.digits = digits;
  }

  act(): void {
    const { call, number, digits } = this;
    if (digits !== '' && !(keys.safeParse(digits).success && call.pressKeys(digits))) {
      call.warn('keys_not_pressed', 'the custom LLM server asked for keys, which needs a phone call and valid keys');
    }
    if (number !== '' && !call.transfer(number)) {
      const message = 'the custom LLM server asked for a transfer, which needs a phone call and an entry of transfers';
      call.warn('transfer_not_supported', message);
    }
  }
}
