/** The same for every run, so that results can be reproduced; campaigns use random seeds. */
export const seed = 20_260_501;
