export interface FieldOptions {
  readonly file?: string;
  readonly set?: readonly string[];
}

export interface ConditionOptions {
  readonly ifMatch?: string;
}

export interface RepeatOptions {
  readonly idempotencyKey?: string;
}
