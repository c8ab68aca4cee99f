export type Scalar = string | number | boolean | null;
export type Variables = Readonly<Record<string, Scalar>>;
