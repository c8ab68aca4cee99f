/** What a killed process was doing is free again after this time. The renewal of a lease may wait for SQLite's file: 5 s. */
export const leaseMs = 6000;
export const ourNumber = '+442079460100';
