/** The version of the API, which is a preview. The package is versioned separately. */
export const interfaceVersion = '0.0.1';
