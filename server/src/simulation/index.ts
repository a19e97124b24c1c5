export { openApi } from './api.ts';
export { simulate } from './simulate.ts';
export { DEFAULT_THRESHOLDS, type AlertThresholds } from './spike.ts';
export { createTally, progressLine, summary } from './tally.ts';
