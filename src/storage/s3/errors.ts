import { textIn } from './xml.ts';

/** A request that the object storage has refused. The message is for the operator. */
export class S3Error extends Error {
  override readonly name = 'S3Error';
  readonly status: number;
  /** The error code of the object storage, such as `SlowDown`. */
  readonly errorCode: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.errorCode = code;
  }

  /** Whether the same request may succeed a little later. */
  get isTemporary(): boolean {
    return this.status >= 500
      ? this.status !== 501
      : this.status === 429 || this.status === 408 || isSlow(this.errorCode);
  }
}

/** AWS reports a connection that was too slow as 400. */
function isSlow(code: string): boolean {
  return code === 'RequestTimeout' || code === 'SlowDown';
}

const words: Readonly<Record<string, string>> = {
  NoSuchBucket: 'the bucket does not exist',
  InvalidBucketName: 'the name of the bucket is not valid',
  PermanentRedirect: 'the bucket is in another region: set AWS_REGION',
  AuthorizationHeaderMalformed: 'the bucket is in another region: set AWS_REGION',
  IllegalLocationConstraintException: 'the bucket is in another region: set AWS_REGION',
  InvalidAccessKeyId: 'the access key does not exist',
  SignatureDoesNotMatch: 'the secret access key does not belong to the access key',
  AccessDenied: 'the credentials do not allow it',
  ExpiredToken: 'the credentials have expired',
  ExpiredTokenException: 'the credentials have expired',
  RequestTimeTooSkewed: 'the clock of this machine is wrong',
  NotImplemented: 'the storage does not support it',
  SlowDown: 'it is overloaded',
  QuotaExceeded: 'it is full',
};

export function s3ErrorOf(status: number, body: string): S3Error {
  // Responses to HEAD have no body.
  const code = textIn(body, 'Code') ?? { 403: 'AccessDenied', 404: 'NotFound' }[status] ?? `HTTP ${status}`;
  return new S3Error(
    status,
    code,
    `${words[code] ?? 'the request failed'} (${code.startsWith('HTTP') ? code : `${status} ${code}`})`,
  );
}

export function isMissing(error: unknown): boolean {
  return error instanceof S3Error && error.status === 404 && error.errorCode !== 'NoSuchBucket';
}

/** The credentials do not allow this request. */
export function isRefused(error: unknown): boolean {
  return error instanceof S3Error && error.status === 403;
}

/** Some servers have no multipart uploads to list or to abort. */
export function isUnsupported(error: unknown): boolean {
  return error instanceof S3Error && [405, 501].includes(error.status);
}
