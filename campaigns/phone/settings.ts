/** What a killed process was doing is free again after this time. */
export const leaseMs = 2000;
export const ourNumber = '+442079460100';
