/** The version of this package, sent as `User-Agent`. */
export const version = '0.1.0';
