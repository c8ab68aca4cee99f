import type { ApiPromise } from '../api-promise.ts';
import type { PagePromise } from '../page.ts';
import { path } from '../path.ts';
import {
  type ConditionalOptions,
  joinedQuery,
  type RepeatableOptions,
  type RequestOptions,
  type Transport,
} from '../request.ts';
import { wait } from '../retries.ts';
import type {
  DeletedPhoneNumber,
  ImportPhoneNumber,
  ListPhoneNumbersQuery,
  PhoneNumber,
  PhoneNumberTest,
  TestPhoneNumber,
  UpdatePhoneNumber,
} from '../schema.ts';

const firstPollMs = 100;
const maxPollMs = 2000;

/** Phone numbers of carriers, and who answers them. */
export class PhoneNumbers {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Imports a number that you have at a carrier. It is checked next: see `waitUntilChecked`. */
  import(body: ImportPhoneNumber, options?: RequestOptions & RepeatableOptions): ApiPromise<PhoneNumber> {
    return this.#transport.request({ method: 'POST', path: path`/api/v1/phone-numbers`, body, options });
  }

  /** Lists phone numbers, newest first. Await one page, or iterate over all with `for await`. */
  list(query: ListPhoneNumbersQuery = {}, options?: RequestOptions): PagePromise<PhoneNumber> {
    return this.#transport.list(path`/api/v1/phone-numbers`, joinedQuery(query), options);
  }

  get(id: string, options?: RequestOptions): ApiPromise<PhoneNumber> {
    return this.#transport.request({ method: 'GET', path: path`/api/v1/phone-numbers/${id}`, options });
  }

  /** Changes who answers and who may call. `inbound` and `outbound` are merged. */
  update(id: string, body: UpdatePhoneNumber, options?: RequestOptions & ConditionalOptions): ApiPromise<PhoneNumber> {
    return this.#transport.request({ method: 'PATCH', path: path`/api/v1/phone-numbers/${id}`, body, options });
  }

  /** Removes a number from the service. You keep it at the carrier. */
  delete(id: string, options?: RequestOptions & ConditionalOptions): ApiPromise<DeletedPhoneNumber> {
    return this.#transport.request({ method: 'DELETE', path: path`/api/v1/phone-numbers/${id}`, options });
  }

  /** Checks a number, its carrier and its agent. Does not throw if a check fails: see `checks`. */
  verify(id: string, options?: RequestOptions & RepeatableOptions): ApiPromise<PhoneNumber> {
    return this.#transport.request({ method: 'POST', path: path`/api/v1/phone-numbers/${id}/verify`, options });
  }

  /** Lets a program call a number of a carrier of provider `test`. */
  test(id: string, body?: TestPhoneNumber, options?: RequestOptions & RepeatableOptions): ApiPromise<PhoneNumberTest> {
    return this.#transport.request({ method: 'POST', path: path`/api/v1/phone-numbers/${id}/test`, body, options });
  }

  /** Waits until a number that was just imported has been checked. Use `signal` to stop waiting. */
  async waitUntilChecked(id: string, options?: RequestOptions): Promise<PhoneNumber> {
    for (let delayMs = firstPollMs; ; delayMs = Math.min(2 * delayMs, maxPollMs)) {
      const phoneNumber = await this.get(id, options);
      if (phoneNumber.status !== 'verifying') return phoneNumber;
      await wait(delayMs, options?.signal);
    }
  }
}
