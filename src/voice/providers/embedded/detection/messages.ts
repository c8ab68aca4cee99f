export interface DetectionModel {
  /** The module that runs the model. */
  readonly runtime: string;
  readonly model: string;
}

export interface DetectionOptions {
  readonly rate: number;
}

export type DetectionMessage =
  | { readonly type: 'audio'; readonly samples: Int16Array<ArrayBuffer>; readonly position: number }
  | { readonly type: 'silence' };

export interface DetectionEvent {
  readonly type: 'start' | 'end';
  readonly position: number;
}
