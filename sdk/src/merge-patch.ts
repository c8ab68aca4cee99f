/** A JSON Merge Patch (RFC 7396) of a value: objects are merged, lists replaced, and null removes a key. */
export type MergePatch<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { [Key in keyof T]?: MergePatch<T[Key]> | null | undefined }
    : T;
