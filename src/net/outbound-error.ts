/** Everything that can go wrong with a connection to a partner's address. */
const messages = {
  address_not_allowed: 'The service does not connect to this address.',
  connect_timeout: 'The connection was not established in time.',
  connect_failed: 'The connection could not be established.',
  tls_failed: 'No trusted encrypted connection could be established.',
  timeout: 'The response did not arrive in time.',
  invalid_response: 'The connection ended without a complete and valid response.',
  response_too_large: 'The headers of the response are too large.',
  aborted: 'The request was cancelled.',
} as const;

export type OutboundErrorCode = keyof typeof messages;

/**
 * The only error of an outgoing request. With the first three codes the request was not sent; with the others the host
 * may have received it. It has no cause and no details: errors of Node.js contain the address that a name resolved to.
 */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';
  readonly code: OutboundErrorCode;

  constructor(code: OutboundErrorCode) {
    super(messages[code]);
    this.code = code;
  }
}
