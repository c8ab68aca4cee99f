/** The two ends of a phone call, in E.164 format. */
export interface PhoneLine {
  readonly phoneNumberId: string;
  readonly carrierId: string;
  /** The provider of the carrier. */
  readonly provider: string;
  /** The caller. Null: withheld. */
  readonly from: string | null;
  readonly to: string;
  /** How long an outbound call rings. */
  readonly ringTimeoutMs: number;
}
